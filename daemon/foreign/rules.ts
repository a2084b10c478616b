import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../core/index.ts'

/** A fault of metadata: the path of the field with dots between. */
export interface MetadataFault {
  readonly field: string
  readonly message: string
  /** A number of Zenodo's. */
  readonly code?: number
}

/** Tells what is wrong with a value, a fault at a time. */
export type Rule = (value: Json, field: string) => Iterable<MetadataFault>

/** Faults of an answer: more of them tell nobody anything. */
export const mostFaults = 100

/** The first faults; the others are never made. */
export function firstOf(faults: Iterable<MetadataFault>): readonly MetadataFault[] {
  return Iterator.from(faults).take(mostFaults).toArray()
}

const fault = (field: string, message: string): readonly MetadataFault[] => [{ field, message }]

export const requiredMessage = 'Missing data for required field.'

export const text: Rule = (value, field) =>
  typeof value === 'string' ? [] : fault(field, 'Not a valid string.')

/** A text of a form; an empty one clears the field. */
export const textLike =
  (form: RegExp, message: string): Rule =>
  (value, field) =>
    typeof value === 'string' && (value.trim() === '' || form.test(value.trim()))
      ? []
      : fault(field, message)

/** @param message of a text that `isKnown` does not know */
export const known =
  (isKnown: (name: string) => boolean, message: string): Rule =>
  (value, field) => {
    if (typeof value !== 'string') return fault(field, 'Not a valid string.')
    return value.trim() === '' || isKnown(value.trim()) ? [] : fault(field, message)
  }

export const oneOf = (words: string): Rule => {
  const choices = words.split(/\s+/)
  return (value, field) =>
    typeof value === 'string' && choices.includes(value)
      ? []
      : fault(field, `Not a valid choice. Select one of: ${choices.join(', ')}.`)
}

export const listOf = (rule: Rule): Rule =>
  function* (value, field) {
    if (!isJsonArray(value)) return yield* fault(field, 'Not a valid list.')
    for (const [index, item] of value.entries()) yield* rule(item, `${field}.${index}`)
  }

/** @param required names of the fields that an object must have */
export const objectOf = (rules: Rules, ...required: readonly string[]): Rule =>
  function* (value, field) {
    if (!isJsonObject(value)) return yield* fault(field, 'Not a valid object.')
    for (const name of required)
      if (isBlank(value[name])) yield* fault(`${field}.${name}`, requiredMessage)
    yield* faultsOf(rules, value, `${field}.`)
  }

export type Rules = Readonly<Record<string, Rule>>

/** Every fault of the fields that have rules. @param prefix of their paths */
export function* faultsOf(
  rules: Rules,
  value: JsonObject,
  prefix: string,
): Generator<MetadataFault, undefined> {
  for (const [name, item] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    // A client clears a field by null.
    if (rule !== undefined && item !== null) yield* rule(item, prefix + name)
  }
  return undefined
}

export function isBlank(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string' ? value.trim() === '' : isJsonArray(value) && value.length === 0
}
