import { Errors } from 'typebox/value'
import type { TSchema } from 'typebox'
import { isWithinEdits, parsePointer } from '../../core/index.ts'
import { StartFailure } from '../start-failure.ts'
import { extensionKeys } from './extensions.ts'
import { configKeys, environmentKeys, isConfigKey, type ConfigValues } from './keys.ts'
import type { ConfigFile } from './config-file.ts'
import type { GivenValues } from './parse-environment.ts'

/**
 * A checked value for every key: from the environment, else from the file, else the preset.
 *
 * @throws {StartFailure} a value is wrong; the message names its key
 */
export function checkValues(fromEnvironment: GivenValues, fromFile: GivenValues): ConfigValues {
  const given = { ...fromFile, ...fromEnvironment }
  const values = Object.entries(configKeys).map(([name, { schema, preset }]) => {
    const value: unknown = isConfigKey(name) ? given[name] : undefined
    if (value === undefined) return [name, preset]
    requireValid(name, schema, value)
    return [name, value]
  })
  return Object.fromEntries(values) as ConfigValues
}

/**
 * The file's content by key.
 *
 * @throws {StartFailure} it is no object, or has a key that there is not
 */
export function requireKnownKeys(file: ConfigFile): Readonly<Record<string, unknown>> {
  const { path, content } = file
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new StartFailure('config', `${path} must hold an object of keys (as its default export).`)
  }
  const known = [...Object.keys(configKeys), ...extensionKeys]
  for (const name of Object.keys(content)) {
    if (known.includes(name)) continue
    const reason = Object.hasOwn(environmentKeys, name)
      ? 'it can be set in the environment alone.'
      : `there is no such key${suggest(name, known)}.`
    throw new StartFailure('config', `${name} in ${path}: ${reason}`)
  }
  return content as Readonly<Record<string, unknown>>
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
  const fault =
    choices.length > 1
      ? `must be one of ${choices.map(({ allowedValue }) => String(allowedValue)).join(', ')}`
      : error.message
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

/** The known name that is nearest to `name`, as advice; nothing where none is near. */
export function suggest(name: string, known: readonly string[]): string {
  for (const edits of [1, 2, 3, 4]) {
    const near = known.find((candidate) => isWithinEdits(name, candidate, edits))
    if (near !== undefined) return `; ${near} is meant, perhaps`
  }
  return ''
}
