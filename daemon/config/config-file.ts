import { access, readFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { requireOwnFile } from '../home/own-files.ts'
import { StartFailure } from '../start-failure.ts'
import { isProblem, parseJson } from '../../core/index.ts'
import type { DepositError, Json } from '../../core/index.ts'

/** The content of `deposit.config.*`, not checked yet. */
export interface ConfigFile {
  /** The path it was found at. */
  readonly path: string
  readonly content: unknown
  /** The file itself, and those that it imports. */
  readonly imports: readonly string[]
}

/**
 * Loads the configuration file: the one that is named, or `deposit.config.ts`, `.js` or `.json` in
 * the home; undefined where there is none.
 *
 * @param named `DEPOSIT_CONFIG`
 * @throws {StartFailure} it is missing though named, cannot be read, can be written by others, or
 *   there are several
 */
export async function loadConfigFile(
  home: string,
  named: string | undefined,
): Promise<ConfigFile | undefined> {
  const path = named ? resolve(named) : await findInHome(home)
  if (path === undefined) return undefined
  try {
    await requireOwnFile(path)
    return { path, ...(await load(path)) }
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const place = placeOf(error) ?? path
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFailure('config', `${place} cannot be read: ${reason}`, { cause: error })
  }
}

async function findInHome(home: string): Promise<string | undefined> {
  const found: string[] = []
  for (const ending of ['ts', 'js', 'json']) {
    const path = join(home, `deposit.config.${ending}`)
    if (await exists(path)) found.push(path)
  }
  if (found.length < 2) return found[0]
  throw new StartFailure('config', `There are several configuration files: ${found.join(', ')}.`)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function load(path: string): Promise<Pick<ConfigFile, 'content' | 'imports'>> {
  if (path.endsWith('.json')) {
    return { content: await readJsonFile(path), imports: [path] }
  }
  const imports = new Set<string>([path])
  using _ = resolveOwnName((url) => {
    if (url.startsWith('file:')) imports.add(fileURLToPath(url))
  })
  const program: unknown = await import(pathToFileURL(path).href)
  const { default: content } = program as { readonly default?: unknown }
  return { content, imports: [...imports] }
}

/** `PATH:LINE` of a fault of syntax, which its stack begins with. */
function placeOf(error: unknown): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined
  const [, place = '', line] = /^(\S+?):(\d+)\n/.exec(error.stack ?? '') ?? []
  if (line === undefined) return undefined
  return `${place.startsWith('file:') ? fileURLToPath(place) : place}:${line}`
}

/**
 * Lets the file import `depositd/config` wherever it lies: of this very program, so that an error or
 * a permission that is made there is known here.
 */
function resolveOwnName(resolved: (url: string) => void): Disposable {
  const url = new URL(`./config-api${extname(import.meta.filename)}`, import.meta.url).href
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === 'depositd/config') return { url, shortCircuit: true }
      const found = next(specifier, context)
      resolved(found.url)
      return found
    },
  })
  return { [Symbol.dispose]: () => hooks.deregister() }
}

/**
 * Reads a file of JSON that an operator has written: a configuration, or a schema.
 *
 * @throws {StartFailure} with the file and the line of the fault
 */
export async function readJsonFile(path: string): Promise<Json> {
  const text = await readFile(path, 'utf8')
  try {
    return parseJson(text)
  } catch (error) {
    if (!isProblem(error)) throw error
    const said = `${path}${describe(error, text)}.`
    throw new StartFailure('config', said, { cause: error })
  }
}

/** The fault, with its place in the text. */
function describe(error: DepositError, text: string): string {
  const [fault] = isProblem(error, 'malformed_json') ? error.faults : []
  const { position, message = error.message, field = '' } = fault ?? {}
  const line = position === undefined ? '' : `:${text.slice(0, position).split('\n').length}`
  const place = field === '' ? '' : ` (${field})`
  return `${line}: this is not valid JSON: ${message}${place}`
}
