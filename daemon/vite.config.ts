import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const threads = globSync('core/**/*-worker.ts', { cwd: root })
const entries = ['daemon/serve/main.ts', 'daemon/config/config-api.ts', ...threads]
const names = entries.map((path) => basename(path, '.ts'))
const twice = names.find((name, at) => names.indexOf(name) !== at)
if (twice !== undefined) throw new Error(`two scripts are called ${twice}: rename one`)

/**
 * Puts the daemon into few files, with the packages that it uses: loading their 2,000 modules one by
 * one took more than half of the time of a start. Left out are a package that is not JavaScript alone,
 * and the client of S3, which few daemons need. Each script of a thread is an entry, because
 * `startThread` looks for it beside the module that starts it; so is the module for `deposit.config.ts`.
 */
export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  ssr: {
    noExternal: true,
    external: [
      'better-sqlite3',
      '@aws-sdk/client-s3',
      '@aws-sdk/s3-request-presigner',
      'pg-native',
    ],
  },
  build: {
    ssr: true,
    target: 'esnext',
    minify: false,
    chunkSizeWarningLimit: 10_000,
    outDir: 'dist/depositd',
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      checks: { bundlerTimings: false, eval: false },
      input: Object.fromEntries(names.map((name, at) => [name, entries[at] ?? ''])),
      output: {
        comments: { jsdoc: false },
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
      },
    },
  },
})
