import { fileURLToPath } from 'node:url'
import { brotliCompress } from 'node:zlib'
import { promisify } from 'node:util'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const assets = here('../../dist/daemon/pages/assets')

export default defineConfig({
  root: here('app'),
  base: '/assets/',
  publicDir: here('app/public'),
  logLevel: 'warn',
  resolve: {
    alias: {
      // A test helper of the form library asks for a validator that we do not ship.
      '@rjsf/validator-ajv8': here('app/form/no-validator.ts'),
      'react-dom': 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      react: 'preact/compat',
    },
  },
  plugins: [compressed()],
  build: {
    outDir: assets,
    assetsDir: '.',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2023',
    // The policy of the pages refuses `data:` fonts and styles; files are cached for good anyway.
    assetsInlineLimit: 0,
    // The reference of the API is large, and only its page loads it.
    chunkSizeWarningLimit: 2_000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The form library marks modules for a kind of server that we are not.
      checks: { moduleLevelDirective: false, bundlerTimings: false },
      input: {
        app: here('app/main.tsx'),
        record: here('app/record.tsx'),
        reference: here('app/reference.ts'),
        styles: here('app/styles/main.css'),
      },
    },
  },
})

/** Writes each asset's compressed twin beside it, so that the daemon only has to pick one. */
function compressed(): Plugin {
  const compress = promisify(brotliCompress)
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle: async () => {
      const names = (await readdir(assets)).filter((name) => /\.(?:js|css|svg)$/.test(name))
      const twin = async (name: string): Promise<void> => {
        const path = join(assets, name)
        await writeFile(`${path}.br`, await compress(await readFile(path)))
      }
      await Promise.all(names.map(twin))
    },
  }
}
