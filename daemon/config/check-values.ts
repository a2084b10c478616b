import { Errors } from 'typebox/value'
import type { TSchema } from 'typebox'
import { parseSize } from '../../core/base/amounts.ts'
import { nearest } from '../../core/contract/nearest.ts'
import { parsePointer } from '../../core/index.ts'
import { StartFailure } from '../start-failure.ts'
import { advice } from '../advice.ts'
import { extensionKeys } from './extensions.ts'
import type { ConfigFaults } from './faults.ts'
import { configKeys, environmentKeys, isConfigKey, type ConfigValues } from './keys.ts'
import type { ConfigFile } from './config-file.ts'
import type { GivenValues } from './environment.ts'

/**
 * A value for every key: from the environment, else from the file, else the preset, which stands in
 * for a value that is wrong as well.
 *
 * @param faults told of the values that are wrong, with their keys
 */
export function checkValues(
  fromEnvironment: GivenValues,
  fromFile: GivenValues,
  faults: ConfigFaults,
): ConfigValues {
  const given = { ...fromFile, ...fromEnvironment }
  const values: Record<string, unknown> = {}
  for (const [name, key] of Object.entries(configKeys)) {
    const text: unknown = isConfigKey(name) ? given[name] : undefined
    const isSize = 'isSize' in key && typeof text === 'string'
    const value = isSize ? parseSize(text) : text
    const found =
      isSize && value === undefined ? [notASize(name, text)] : faultsOf(name, key.schema, value)
    for (const fault of found) faults.add(fault)
    values[name] = found.length > 0 ? key.preset : (value ?? key.preset)
  }
  return values as ConfigValues
}

function notASize(name: string, text: string): string {
  return `${name} must be a size such as 20GB or 500MiB, or a number of bytes, not ${JSON.stringify(text)}.`
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

/** A line for each key of the file that there is not. */
export function unknownKeys(path: string, content: object): readonly string[] {
  const known = [...Object.keys(configKeys), ...extensionKeys]
  return Object.keys(content)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const reason = Object.hasOwn(environmentKeys, name)
        ? 'it can be set in the environment alone.'
        : `there is no such key.${suggest(name, known)}`
      return `${name} in ${path}: ${reason}`
    })
}

/** A line for each place within the value of a key that is wrong; none where there is no value. */
export function faultsOf(name: string, schema: TSchema, value: unknown): readonly string[] {
  const errors = value === undefined ? [] : Errors(schema, value)
  const placeOf = (pointer: string): string => [name, ...(parsePointer(pointer) ?? [])].join('.')
  const unknown = errors.flatMap((error) => {
    if (error.keyword !== 'additionalProperties') return []
    const options = Object.keys(propertiesAt(schema, error.instancePath))
    return error.params.additionalProperties.map(
      (option) =>
        `${placeOf(error.instancePath)} has no option ${option}.${suggest(option, options)}`,
    )
  })
  // An option that there is not has the schema `false`.
  const others = errors.filter(
    ({ keyword }) => !['additionalProperties', 'boolean'].includes(keyword),
  )
  const places = [...new Set(others.map(({ instancePath }) => instancePath))]
  const innermost = places.filter((place) => !places.some((other) => other.startsWith(`${place}/`)))
  const wrong = innermost.map((place) => {
    const found = others.filter(({ instancePath }) => instancePath === place)
    const shown = typeof value === 'object' ? '' : `, not ${JSON.stringify(value)}`
    const wanted: unknown = place === '' ? at(schema, 'wanted') : undefined
    const reason = typeof wanted === 'string' ? `must be ${wanted}` : reasonOf(found)
    return `${placeOf(place)} ${reason}${shown}.`
  })
  return [...unknown, ...wrong]
}

/** The message for the errors of one place. */
function reasonOf(errors: ReturnType<typeof Errors>): string {
  const [error] = errors
  const choices = errors.flatMap((each) => (each.keyword === 'const' ? [each.params] : []))
  const allowed =
    error?.keyword === 'enum'
      ? error.params.allowedValues
      : choices.map(({ allowedValue }) => allowedValue)
  return allowed.length > 1
    ? `must be one of ${allowed.join(', ')}`
    : (inPlainWords[error?.message ?? ''] ?? error?.message ?? 'is wrong')
}

/** By the message of typebox. */
const inPlainWords: Readonly<Record<string, string>> = {
  'must be array': 'must be a list',
  'must be boolean': 'must be true or false',
  'must be integer': 'must be a whole number',
  'must be string': 'must be text',
}

function propertiesAt(schema: TSchema, pointer: string): object {
  let current: unknown = schema
  for (const token of parsePointer(pointer) ?? []) {
    const [ofEach] = Object.values(at(current, 'patternProperties') ?? {}) as readonly unknown[]
    current = at(at(current, 'properties'), token) ?? ofEach
  }
  return (at(current, 'properties') as object | undefined) ?? {}
}

function at(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | undefined)?.[name]
}

/**
 * The known name that is nearest to `name`, as advice; nothing where none is near, not
 * counting the beginning that all keys have.
 */
export function suggest(name: string, known: readonly string[]): string {
  const bare = (key: string): string => key.replace(/^DEPOSIT_/, '')
  const near = nearest(bare(name), known.map(bare))
  const meant = known.find((key) => bare(key) === near)
  return meant === undefined ? '' : ` ${advice.useKey(meant)}`
}
