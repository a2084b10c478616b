/**
 * Reads archives with programs of others: those of `npm test`, and those that would take it too long,
 * with around 65,535 entries and with a file of 5 GiB, which is a hole on the disk.
 *
 *     npm run test:faults -- archives
 */
import { runTests } from '../../places/run-suite.ts'
import type { Experiment } from '../experiment.ts'

export const archives: Experiment = {
  name: 'archives',
  claim: 'Packages of any size, with any number of files of any names, are read by every program.',
  obstacle: () => undefined,
  run: async () => {
    const env = { DEPOSIT_TEST_ARCHIVES: 'all' }
    const { passed, failed, failures } = await runTests(['test/core/zip-readers.test.ts'], env)
    return { figures: { tests: passed + failed, failed }, failures }
  },
}
