import { Type } from 'typebox'
import type { ConfigFaults } from './faults.ts'
import { configKeys, environmentKeys, isConfigKey } from './keys.ts'
import type { ConfigKey } from './keys.ts'
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { advice } from '../advice.ts'
import { requireOwnFile } from '../home/own-files.ts'
import { StartFailure } from '../start-failure.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Values by key as they were given: from the environment or from a file, not checked yet. */
export type GivenValues = Readonly<Partial<Record<ConfigKey, unknown>>>

/**
 * Reads the keys that are in the environment: texts, numbers and flags as they are, everything else
 * as JSON. An empty variable is one that is not set.
 *
 * @param faults told of the values that are not of their kind, with their keys
 */
export function parseEnvironment(env: Environment, faults: ConfigFaults): GivenValues {
  const given: Partial<Record<ConfigKey, unknown>> = {}
  for (const [name, text] of Object.entries(env)) {
    if (!isConfigKey(name) || text === undefined || text === '') continue
    try {
      given[name] = parse(name, text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      faults.add(`${name} is not JSON: ${error.message}.`)
    }
  }
  return given
}

/** Variables that begin like ours and are none: most likely one that is misspelled. */
export function unknownVariables(env: Environment): readonly string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('DEPOSIT_') &&
      !isConfigKey(name) &&
      !Object.hasOwn(environmentKeys, name) &&
      !clientVariables.has(name),
  )
}

/** Variables of the command line, and those that this program passes to itself across a start. */
const clientVariables: ReadonlySet<string> = new Set([
  'DEPOSIT_TOKEN',
  'DEPOSIT_URL',
  'DEPOSIT_ENDPOINT',
  'DEPOSIT_REEXEC',
])

/** @throws {SyntaxError} */
function parse(name: ConfigKey, text: string): unknown {
  const { schema } = configKeys[name]
  if (Type.IsInteger(schema)) return /^-?\d+$/.test(text) ? Number(text) : text
  if (Type.IsBoolean(schema)) return flags.get(text.toLowerCase()) ?? text
  const isText =
    Type.IsString(schema) || Type.IsEnum(schema) || (Type.IsUnion(schema) && !text.startsWith('{'))
  return isText ? text : JSON.parse(text)
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/**
 * Settings of a file, as systemd's `EnvironmentFile` has them: lines `NAME=VALUE` and comments.
 *
 * @throws {StartFailure} it cannot be read, others can write to it, or a line is not one of these
 */
export async function readEnvironmentFile(path: string): Promise<Environment> {
  const text = await readOwn(path)
  requireAssignments(path, text)
  return parseEnv(text)
}

async function readOwn(path: string): Promise<string> {
  try {
    await requireOwnFile(path)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFailure('no_input', `--environment-file cannot be read: ${reason}`)
  }
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:(["'`])(.*))?/

/** Names of Node.js and of the loader: they change which code runs, and are no settings. */
const forbidden = /^(?:NODE|LD)_/i

function requireAssignments(path: string, text: string): void {
  const faults: string[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const fault = (what: string): void => void faults.push(`${path}, line ${index + 1}: ${what}`)
    if (/^\s*(?:[#;]|$)/.test(line)) continue
    const [, name, quote, rest = ''] = assignment.exec(line) ?? []
    if (name === undefined) fault('this is not NAME=VALUE.')
    else if (forbidden.test(name)) fault(`${name} cannot be set here. ${advice.removeLine()}`)
    if (quote === undefined || rest.includes(quote)) continue
    // A value in quotes may go over several lines.
    const end = lines.findIndex((later, at) => at > index && later.includes(quote))
    if (end === -1) {
      fault(`the value of ${name} lacks its closing ${quote}.`)
      break
    }
    index = end
  }
  if (faults.length > 0) throw new StartFailure('config', faults.join('\n'))
}
