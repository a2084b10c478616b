/**
 * Tests the laws of merging on many more documents than each push does: the tests of `npm test`,
 * below HTTP and through the REST interface, in their full run and with their own fixed seed.
 *
 *     npm run test:faults -- merge-laws                     100,000 cases of each law
 */
import { runTests, type Counts } from '../../places/run-suite.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'

/** The most cases through the REST interface, where each takes a dozen requests. */
const mostByRest = 500

export const mergeLaws: Experiment = {
  name: 'merge-laws',
  claim: 'Merging what two sides did to a record follows its laws, and loses nothing silently.',
  obstacle: () => undefined,
  run: tryLaws,
}

async function tryLaws({ rounds = 100_000, say }: Settings): Promise<Outcome> {
  const byRest = Math.min(rounds, mostByRest)
  const below = await tryThose('test/core/merge-laws.test.ts', rounds)
  say(`below HTTP: ${below.passed} laws held in ${rounds} cases`)
  const rest = await tryThose('test/spec/20-merge-laws.test.ts', byRest)
  say(`through REST: ${rest.passed} laws held in ${byRest} cases`)
  const figures = {
    'laws below HTTP': below.passed,
    'cases of each': rounds,
    'laws through REST': rest.passed,
    'cases through REST': byRest,
    broken: below.failed + rest.failed,
  }
  return { figures, failures: [...below.failures, ...rest.failures] }
}

function tryThose(file: string, cases: number): Promise<Counts> {
  return runTests([file], { DEPOSIT_TEST_RUNS: String(cases) })
}
