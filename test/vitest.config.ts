import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // Without this, tests that `tsc -b` compiled would run a second time.
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/test-database.ts',
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
