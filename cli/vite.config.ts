import crypto from 'node:crypto'
import { fileURLToPath } from 'node:url'
import zlib from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'
import { packageSchemas } from '../core/contract/metadata.ts'
import { codeOf } from './check/schema-code.ts'
import type { SchemaName } from './check/schema-validators.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const room = `${root}cli/check`

/** Puts validators that are compiled now in the place of the module that compiles them. */
const compiledSchemas: Plugin = {
  name: 'compiled-schemas',
  load: (id) => {
    if (id === `${room}/schema-validators.ts`) return { code: chooser, moduleType: 'js' }
    const name = id.startsWith(compiled) ? id.slice(compiled.length, -'.js'.length) : undefined
    return isSchemaName(name) ? { code: moduleOf(name), moduleType: 'js' } : undefined
  },
  resolveId: (id) => (id.startsWith(compiled) ? id : undefined),
}

const compiled = `${room}/compiled/`

/** Loads one of them: a command needs one at most. */
const chooser = `const modules = {
${Object.keys(packageSchemas)
  .map((name) => `  '${name}': () => import('${compiled}${name}.js'),`)
  .join('\n')}
}
export const validatorOf = async (name) => (await modules[name]()).validate
`

function moduleOf(name: SchemaName): string {
  return `import { schemaFormats, ucs2length } from '${room}/schema-formats.ts'
${codeOf(name)}
export { validate }
`
}

function isSchemaName(name: string | undefined): name is SchemaName {
  return name !== undefined && Object.hasOwn(packageSchemas, name)
}

/**
 * Takes the modules of Node.js without importing them: an import evaluates every export, and so loads
 * what nobody asked for, such as the flags of Node.js for `node:process`.
 */
const takenBuiltins: Plugin = {
  name: 'taken-builtins',
  renderChunk: (code) =>
    code.replaceAll(
      /^import (?:\* as )?([\w$]+)?(?:, )?(?:\{ (.*) \})? from "(node:[\w/]+)";$/gm,
      (_, whole: string | undefined, some: string | undefined, module: string) =>
        [...(whole ? [[whole, '']] : []), ...(some?.split(', ').map(toPair) ?? [])]
          .map(([as = '', name = '']) => `const ${as} = ${valueOf(module, name)};`)
          .join('\n'),
    ),
}

/** `open as open$1`, as the name here and that of the export. */
function toPair(text: string): readonly [string, string] {
  const [name = '', as = name] = text.split(' as ')
  return [as, name]
}

/** Modules that take milliseconds to load, and many commands never call. */
const lateModules: Readonly<Record<string, object>> = { 'node:crypto': crypto, 'node:zlib': zlib }

function valueOf(module: string, name: string): string {
  const taken = `globalThis.process.getBuiltinModule("${module}")`
  if (name === '') return taken
  const late: unknown = Object.entries(lateModules[module] ?? {}).find(([key]) => key === name)?.[1]
  const isLate = typeof late === 'function' && /^[a-z]/.test(name)
  return isLate ? `(...args) => ${taken}.${name}(...args)` : `${taken}.${name}`
}

/** Commander starts no program here: what starts them loads half of the network's modules. */
const lateChildProcess: Plugin = {
  name: 'late-child-process',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id === 'node:child_process' && importer?.includes('/commander/') ? late : undefined,
  load: (id) =>
    id === late
      ? `export default { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) }`
      : undefined,
}

const late = '\0node:child_process'

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
