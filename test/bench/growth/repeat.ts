import { median } from '../statistics.ts'

type Costs = Readonly<Record<string, number>>

/** Measures several costs `rounds` times; resolves to the median of each. */
export async function medianOf(rounds: number, measure: () => Promise<Costs>): Promise<Costs> {
  const made: Costs[] = []
  while (made.length < rounds) made.push(await measure())
  const names = Object.keys(made[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [name, median(made.map((costs) => costs[name] ?? Number.NaN))]),
  )
}
