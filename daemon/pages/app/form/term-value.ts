import type { Term } from '../../../../core/contract/vocabularies.ts'
import { isObject } from '../api/json.ts'

/** How a field holds a term: as its text alone, or also as an object with its identifier. */
export interface TermForm {
  /** Property of the text in an object; absent where the field is a text. */
  readonly text?: string
  /** Property of the identifier. */
  readonly id?: string
  /** Property of the classification. */
  readonly scheme?: string
}

const identifiers = ['ror', 'identifier', 'id']

/** Reads it off a schema that allows an object beside a text. */
export function termFormOf(schema: object): TermForm {
  const { properties, required } = schema as {
    readonly properties?: unknown
    readonly required?: unknown
  }
  if (typeof properties !== 'object' || properties === null) return {}
  const wanted: readonly unknown[] = Array.isArray(required) ? required : []
  const [text] = wanted
  const id = identifiers.find((name) => Object.hasOwn(properties, name))
  if (typeof text !== 'string' || id === undefined) return {}
  return { text, id, ...(Object.hasOwn(properties, 'scheme') && { scheme: 'scheme' }) }
}

/** The text that a field shows for its value. */
export function shownText(form: TermForm, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  const held = isObject(value) && form.text !== undefined ? value[form.text] : ''
  return typeof held === 'string' ? held : ''
}

/** The identifier that a value holds, or is. */
export function heldId(form: TermForm, value: unknown): string {
  if (form.id === undefined) return shownText(form, value)
  const held = isObject(value) ? value[form.id] : ''
  return typeof held === 'string' ? held : ''
}

/** The value of a field once a term is chosen. */
export function chosenValue(form: TermForm, term: Term): unknown {
  if (form.text === undefined || form.id === undefined) return term.id
  const hasId = term.uri !== undefined || term.id !== term.title
  return {
    [form.text]: term.title,
    ...(hasId && { [form.id]: term.uri ?? term.id }),
    ...(form.scheme !== undefined && term.scheme !== undefined && { [form.scheme]: term.scheme }),
  }
}

/** The value of a field once somebody has typed: another text has another identifier, or none. */
export function typedValue(form: TermForm, typed: string, before: unknown): unknown {
  if (typed === '') return undefined
  return form.text !== undefined && shownText(form, before) === typed ? before : typed
}
