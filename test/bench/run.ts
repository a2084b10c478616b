/**
 * Measures the real daemon, with everything on, against references taken in the same run.
 *
 *     npm run bench               every target, the median of five rounds, a file of 1 GiB
 *     npm run bench -- --quick    three rounds, a file of 128 MiB: under three minutes
 *     npm run bench -- P6 P7      some of them
 */
import { parseArgs } from 'node:util'
import { startBench, type Bench } from './bench.ts'
import { keepResults, type Result } from './results.ts'
import { isReached, median, type Target } from './target.ts'
import { targets } from './targets.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
})
const rounds = values.quick ? 3 : 5
const wanted = targets.filter(({ id }) => positionals.length === 0 || positionals.includes(id))

await using bench = await startBench(values.quick ? 128 * 2 ** 20 : 2 ** 30)
const results: Result[] = []
for (const target of wanted) {
  const obstacle = target.obstacle()
  if (obstacle === undefined) results.push(await measure(target, bench))
  else process.stdout.write(`SKIPPED ${target.id}: ${obstacle}\n`)
}
if (positionals.length === 0) await keepResults(results, { quick: values.quick, rounds })

/** The median of the rounds' ratios: what disturbs a round disturbs both of its sides. */
async function measure(target: Target, on: Bench): Promise<Result> {
  await target.round(on)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { measured, reference } = await target.round(on)
    ratios.push(measured / reference)
  }
  const ratio = median(ratios)
  const { id, what, reach } = target
  const result = { id, what, reach, ratio, ratios, isReached: isReached(ratio, reach) }
  process.stdout.write(`${id} ${what}: ${ratio.toFixed(2)} ${JSON.stringify(reach)}\n`)
  return result
}
