import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Puts the command line into few files, a command in one or two: finding and loading 300 modules one
 * by one took most of the time of a short command. The script of a thread is an entry, because
 * `startThread` looks for it beside the module that starts it.
 */
export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  ssr: {
    noExternal: [
      'ajv',
      'ajv-formats',
      'commander',
      'env-paths',
      'fast-deep-equal',
      'fast-uri',
      'ignore',
      'is-safe-filename',
      'json-schema-traverse',
      'spdx-correct',
      'spdx-license-list',
      'yaml',
    ],
  },
  build: {
    ssr: true,
    target: 'esnext',
    minify: false,
    chunkSizeWarningLimit: 10_000,
    outDir: 'dist/deposit',
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: { main: 'cli/program/main.ts', 'digest-worker': 'cli/client/digest-worker.ts' },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        codeSplitting: {
          groups: [{ name: 'shared', minShareCount: 40, test: /\/(?:cli|core)\// }],
        },
      },
    },
  },
})
