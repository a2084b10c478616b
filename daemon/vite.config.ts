import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const threads = globSync('core/**/*-worker.ts', { cwd: root })
const entries = ['daemon/serve/main.ts', 'daemon/config/config-api.ts', ...threads]

/**
 * Puts the daemon into few files. Loading its 2,000 modules one by one, most of them small ones of
 * the packages named below, took more than half of the time of a start. The scripts of threads and
 * the module for `deposit.config.ts` lie in the same folder as the files that look for them there.
 */
export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  ssr: {
    noExternal: [
      'typebox',
      'kysely',
      'ajv',
      'ajv-formats',
      'prom-client',
      '@opentelemetry/api',
      'rate-limiter-flexible',
    ],
  },
  build: {
    ssr: true,
    target: 'esnext',
    minify: false,
    chunkSizeWarningLimit: 10_000,
    outDir: 'dist/depositd',
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: Object.fromEntries(entries.map((path) => [basename(path, '.ts'), path])),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
