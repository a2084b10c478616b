import { run } from '../timing.ts'
import type { Workshop } from '../workshop.ts'
import type { Curve, Growth } from './curve.ts'

/**
 * Measures every amount of a curve.
 *
 * @param told is called after each amount
 * @throws {Error} something broke
 */
export async function measureCurve(
  { amounts, prepare }: Growth,
  workshop: Workshop,
  told: (amount: number, costs: Readonly<Record<string, number>>) => void,
): Promise<Curve['series']> {
  await run('sync', [])
  await using stack = new AsyncDisposableStack()
  const measureAt = await prepare(workshop, stack)
  const [first] = amounts(workshop)
  // The first requests of a daemon are slower than those that follow.
  if (first !== undefined) await measureAt(first)
  const series: Record<string, { readonly x: number; readonly y: number }[]> = {}
  for (const x of amounts(workshop)) {
    const costs = await measureAt(x)
    told(x, costs)
    for (const [name, y] of Object.entries(costs)) (series[name] ??= []).push({ x, y })
  }
  return series
}
