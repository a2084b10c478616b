import { fileURLToPath } from 'node:url'
import { defineConfig, normalizePath } from 'vite'
import { compiledSchemas } from './compiled-schemas.ts'
import { lateChildProcess, takenBuiltins } from './taken-builtins.ts'

const root = normalizePath(fileURLToPath(new URL('../..', import.meta.url)))

/** Modules that commands load together: a file for all of them is found and read once. */
const together = {
  client: [
    'cli/auth/credential-store',
    'cli/auth/tokens',
    'cli/client/address',
    'cli/client/bodies',
    'cli/client/connection',
    'cli/client/deposit-client',
    'cli/client/http',
    'cli/client/mounted-routes',
    'cli/client/public-reader',
    'cli/client/rehearse-patch',
    'cli/client/retry',
    'cli/local-daemon/find',
    'cli/output/progress',
    'cli/private-file',
    'cli/session/open-client',
    'core/base/file-lock',
    'core/base/loopback',
    'core/contract/json-patch',
    'core/contract/owner-proof',
    'core/contract/routes',
  ],
  folder: [
    'cli/check/check-document',
    'cli/check/check-local',
    'cli/check/preflight',
    'cli/folder/folder-deposit',
    'cli/folder/memory',
    'cli/metadata/access-in-text',
    'cli/metadata/change',
    'cli/metadata/find-metadata-file',
    'cli/metadata/foreign/foreign-files',
    'cli/metadata/identical-copies',
    'cli/metadata/json-text',
    'cli/metadata/other-access',
    'cli/metadata/past-embargo',
    'cli/metadata/read-metadata',
    'cli/packages/recognise',
    'cli/transfer/compare-folder',
    'cli/transfer/find-sources',
    'cli/transfer/folder-state',
    'cli/transfer/known-comparison',
    'cli/transfer/known-digests',
    'cli/transfer/open-place',
    'cli/transfer/plan-upload',
    'cli/transfer/prepare',
    'cli/transfer/read-folder',
    'cli/transfer/refused-names',
    'cli/transfer/safe-target',
    'cli/transfer/verify-crate',
    'core/contract/access-',
    'core/contract/foreign/access-of-files',
    'core/contract/foreign/watch',
    'core/contract/hidden-names',
    'core/contract/stray-access',
  ],
} as const

const groups = Object.entries(together).map(([name, places]) => ({
  name,
  test: (id: string) => places.some((place) => id.startsWith(root + place)),
  includeDependenciesRecursively: false,
}))

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
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: { main: 'cli/program/main.ts', 'digest-worker': 'cli/client/digest-worker.ts' },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        codeSplitting: {
          groups: [
            { name: 'shared', minShareCount: 40, test: /\/(?:cli|core)\//, priority: 1 },
            ...groups,
          ],
        },
      },
    },
  },
})
