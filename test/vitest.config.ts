import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Begins with the file that takes longest, by waiting: begun last, it would run on alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      moduleId.endsWith('/killed-push.test.ts')
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // Without this, tests that `tsc -b` compiled would run a second time.
    include: ['test/**/*.test.ts'],
    globalSetup: [
      'test/support/test-database.ts',
      'test/support/test-storage.ts',
      'test/support/compile-cache.ts',
    ],
    pool: 'forks',
    // Threads that begin with TypeScript strip its types by WebAssembly of Node.js, and one file starts
    // hundreds. V8 13.6 can lose track of the code of one that ends: where processors have protection
    // keys of memory (nodejs/node#64500), and when it collects compiled WebAssembly: of processes that
    // started a hundred threads each, 3 of 24 crashed, of 32 that did not collect it none. Built
    // programs have no TypeScript: none of 20 crashed.
    execArgv: ['--no-memory-protection-keys', '--no-wasm-code-gc'],
    // Files run one after another in a few processes (`test/support/each-file.ts`): loading the
    // program anew for each would take a third of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/each-file.ts'],
    // Tests wait for processes, disks and pages more than they compute.
    maxWorkers: 2 * availableParallelism(),
    // Real processes on a shared machine: what ends a test is what it sees, hardly ever the clock.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One second is too little for what a loaded machine comes to in the end.
    expect: { poll: { timeout: 120_000 } },
  },
})
