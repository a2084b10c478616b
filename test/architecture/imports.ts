import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

/** One import, re-export or dynamic import. Paths are relative to the root of the project. */
export interface Import {
  readonly from: string
  /** A file of the project, or the name of a package. */
  readonly to: string
}

const specifier = /(?:\bfrom|\bimport)\s*\(?\s*'([^'\n]+)'/g
const comment = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

/** Reads every import of the sources below `folders`; a folder that does not exist has none. */
export function readImports(root: string, folders: readonly string[]): readonly Import[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: root }))
    .toSorted()
    .flatMap((from) => importsOf(from, readFileSync(join(root, from), 'utf8')))
}

/** The imports in the text of one source file. */
export function importsOf(from: string, source: string): readonly Import[] {
  const code = source.replaceAll(comment, '')
  return [...code.matchAll(specifier)].flatMap(([, name]) =>
    name === undefined
      ? []
      : [{ from, to: name.startsWith('.') ? join(dirname(from), name) : name }],
  )
}

/** A chain of files that ends where it began, for each cycle found; empty when there is none. */
export function findCycles(imports: readonly Import[]): readonly string[] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()

  function visit(file: string, path: readonly string[]): readonly string[] {
    if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')]
    if (done.has(file)) return []
    const cycles = (targets.get(file) ?? []).flatMap(({ to }) => visit(to, [...path, file]))
    done.add(file)
    return cycles
  }
  return [...targets.keys()].flatMap((file) => visit(file, []))
}

/** Pairs of folders that import each other, with the imports of the smaller side. */
export function findMutual(imports: readonly Import[]): readonly string[] {
  const between = Map.groupBy(
    imports.filter(({ to }) => to.includes('/')),
    ({ from, to }) => `${dirname(from)} ${dirname(to)}`,
  )
  return [...between].flatMap(([pair, there]) => {
    const [a = '', b = ''] = pair.split(' ')
    const back = between.get(`${b} ${a}`) ?? []
    const isFewer = there.length < back.length || (there.length === back.length && a < b)
    return a === b || back.length === 0 || !isFewer
      ? []
      : [`${a} ⇄ ${b}: ${there.map(({ from, to }) => `${from} → ${to}`).join(', ')}`]
  })
}
