import crypto from 'node:crypto'
import zlib from 'node:zlib'
import type { Plugin } from 'vite'

/**
 * Takes the modules of Node.js without importing them: an import evaluates every export, and so loads
 * what nobody asked for, such as the flags of Node.js for `node:process`.
 */
export const takenBuiltins: Plugin = {
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
export const lateChildProcess: Plugin = {
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
