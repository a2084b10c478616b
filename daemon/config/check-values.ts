import { Errors } from 'typebox/value'
import type { TSchema } from 'typebox'
import { isWithinEdits, parsePointer } from '../../core/index.ts'
import { StartFailure } from '../start-failure.ts'
import { extensionKeys } from './extensions.ts'
import { ConfigFaults } from './faults.ts'
import { configKeys, environmentKeys, isConfigKey, type ConfigValues } from './keys.ts'
import type { ConfigFile } from './config-file.ts'
import type { GivenValues } from './parse-environment.ts'

/**
 * A checked value for every key: from the environment, else from the file, else the preset.
 *
 * @throws {StartFailure} values are wrong; the message names their keys
 */
export async function checkValues(
  fromEnvironment: GivenValues,
  fromFile: GivenValues,
): Promise<ConfigValues> {
  const given = { ...fromFile, ...fromEnvironment }
  const faults = new ConfigFaults()
  const values: Record<string, unknown> = {}
  for (const [name, { schema, preset }] of Object.entries(configKeys)) {
    const value: unknown = isConfigKey(name) ? given[name] : undefined
    if (value !== undefined) await faults.of(() => requireValid(name, schema, value))
    values[name] = value ?? preset
  }
  faults.requireNone()
  return values as ConfigValues
}

/**
 * The file's content by key.
 *
 * @throws {StartFailure} it is no object
 */
export function contentOf({ path, content }: ConfigFile): Readonly<Record<string, unknown>> {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new StartFailure('config', `${path} must hold an object of keys (as its default export).`)
  }
  return content as Readonly<Record<string, unknown>>
}

/** @throws {StartFailure} the file has keys that there are not: a line for each */
export function requireKnownKeys(path: string, content: object): void {
  const faults: string[] = []
  const known = [...Object.keys(configKeys), ...extensionKeys]
  for (const name of Object.keys(content)) {
    if (known.includes(name)) continue
    const reason = Object.hasOwn(environmentKeys, name)
      ? 'it can be set in the environment alone.'
      : `there is no such key${suggest(name, known)}.`
    faults.push(`${name} in ${path}: ${reason}`)
  }
  if (faults.length > 0) throw new StartFailure('config', faults.join('\n'))
}

/** @throws {StartFailure} with the key and the place within its value */
export function requireValid(name: string, schema: TSchema, value: unknown): void {
  const errors = Errors(schema, value)
  const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0]
  if (!error) return
  const place = [name, ...(parsePointer(error.instancePath) ?? [])].join('.')
  if (error.keyword === 'additionalProperties') {
    const [unknown = ''] = error.params.additionalProperties
    const options = Object.keys(propertiesAt(schema, error.instancePath))
    const advice = suggest(unknown, options)
    throw new StartFailure('config', `${place} has no option ${unknown}${advice}.`)
  }
  const choices = errors.flatMap((each) => (each.keyword === 'const' ? [each.params] : []))
  const allowed =
    error.keyword === 'enum'
      ? error.params.allowedValues
      : choices.map(({ allowedValue }) => allowedValue)
  const fault = allowed.length > 1 ? `must be one of ${allowed.join(', ')}` : error.message
  const shown = typeof value === 'object' ? '' : `, not ${JSON.stringify(value)}`
  throw new StartFailure('config', `${place} ${fault}${shown}.`)
}

function propertiesAt(schema: TSchema, pointer: string): object {
  let current: unknown = schema
  for (const token of parsePointer(pointer) ?? []) current = at(at(current, 'properties'), token)
  return (at(current, 'properties') as object | undefined) ?? {}
}

function at(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | undefined)?.[name]
}

/**
 * The known name that is nearest to `name`, as advice; nothing where none is near: one letter of
 * three may be another, not counting the beginning that all keys have.
 */
export function suggest(name: string, known: readonly string[]): string {
  const letters = name.replace(/^DEPOSIT_/, '').length
  const most = Math.min(4, Math.max(1, Math.floor(letters / 3)))
  for (let edits = 1; edits <= most; edits += 1) {
    const near = known.find((candidate) => isWithinEdits(name, candidate, edits))
    if (near !== undefined) return `; ${near} is meant, perhaps`
  }
  return ''
}
