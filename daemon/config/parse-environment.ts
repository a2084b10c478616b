import { Type } from 'typebox'
import type { ConfigFaults } from './faults.ts'
import { configKeys, environmentKeys, isConfigKey, type ConfigKey } from './keys.ts'

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
  const isText = Type.IsString(schema) || Type.IsEnum(schema)
  return isText ? text : JSON.parse(text)
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
