import { access, readFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseJson } from '../../core/index.ts'
import { StartFailure } from '../start-failure.ts'

/** What `deposit.config.*` holds, not checked yet. */
export interface ConfigFile {
  /** Where it was found. */
  readonly path: string
  readonly content: unknown
}

/**
 * Loads the configuration file: the one that is named, or `deposit.config.ts`, `.js` or `.json` in
 * the home; undefined where there is none.
 *
 * @param named `DEPOSIT_CONFIG`
 * @throws {StartFailure} it is missing though named, cannot be read, or there are several
 */
export async function loadConfigFile(
  home: string,
  named: string | undefined,
): Promise<ConfigFile | undefined> {
  const path = named ? resolve(named) : await findInHome(home)
  if (path === undefined) return undefined
  try {
    return { path, content: await load(path) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFailure('config', `${path} cannot be read: ${reason}`, { cause: error })
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

async function load(path: string): Promise<unknown> {
  if (path.endsWith('.json')) return parseJson(await readFile(path, 'utf8'))
  using _ = resolveOwnName()
  const program: unknown = await import(pathToFileURL(path).href)
  return (program as { readonly default?: unknown }).default
}

/**
 * Lets the file import `depositd/config` wherever it lies: of this very program, so that an error or
 * a permission that is made there is known here.
 */
function resolveOwnName(): Disposable {
  const url = new URL(`../config-api${extname(import.meta.filename)}`, import.meta.url).href
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'depositd/config' ? { url, shortCircuit: true } : next(specifier, context),
  })
  return { [Symbol.dispose]: () => hooks.deregister() }
}
