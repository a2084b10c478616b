import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { compiledSchemas } from './compiled-schemas.ts'
import { lateChildProcess, takenBuiltins } from './taken-builtins.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Puts the command line into few files, a command in one or two: finding and loading 300 modules one
 * by one took most of the time of a short command. The script of a thread is an entry, because
 * `startThread` looks for it beside the module that starts it.
 */
export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  plugins: [compiledSchemas, lateChildProcess, takenBuiltins],
  ssr: {
    noExternal: [
      'ajv-formats',
      'commander',
      'env-paths',
      'ignore',
      'is-safe-filename',
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
