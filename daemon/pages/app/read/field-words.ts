import type { RJSFSchema } from '@rjsf/utils'
import { relationTypes, resourceTypes, termOf } from '../../../../core/contract/datacite.ts'
import { accessLine } from '../../text/access-line.ts'
import { formatDate, languageName, text, translatedTerm } from '../../text/text.ts'
import { fieldOf, isArray, isObject, type Json, type JsonObject } from '../api/json.ts'
import { labelAt } from '../form/faults.ts'

/** A part of a line, which may lead somewhere. */
export interface Part {
  readonly text: string
  readonly href?: string
}

/** A field of a document with its label, line by line. */
export interface ReadField {
  readonly name: string
  readonly label: string
  readonly lines: readonly (readonly Part[])[]
  /** True of a text in paragraphs. */
  readonly isProse: boolean
}

/** Fields whose texts are longer than a line. */
const prose: ReadonlySet<string> = new Set(['description', 'methods', 'notes'])

/** The fields that are filled in: those of the schema in its order, then those it does not know. */
export function toReadFields(schema: RJSFSchema, document: JsonObject): readonly ReadField[] {
  const known = Object.keys(schema.properties ?? {})
  const others = Object.keys(document).filter((name) => !known.includes(name))
  return [...known, ...others].flatMap((name) => {
    const value = fieldOf(document, name)
    const order = orderOf(schema, name)
    const lines = (isArray(value) ? value : [value ?? null])
      .map((element) => toLine(name, element, order))
      .filter((line) => line.length > 0)
    if (lines.length === 0 || name === 'title') return []
    return [{ name, label: labelAt(schema, `/${name}`), lines, isProse: prose.has(name) }]
  })
}

/** An element of a field. */
function toLine(name: string, value: Json, order: readonly string[]): readonly Part[] {
  if (!isObject(value)) return linked(inWords(name, value))
  const { files, until, reason } = value
  if (name === 'access' && (files === 'public' || files === 'restricted')) {
    const access = { files, ...(typeof until === 'string' && { until }) } as const
    const said = accessLine(access, new Date().toISOString())
    return [said, toPlain('reason', reason ?? null)]
      .filter(Boolean)
      .map((words) => ({ text: words }))
  }
  const others = Object.keys(value).filter((key) => !order.includes(key))
  return [...order, ...others].flatMap((key) => {
    const inner = fieldOf(value, key) ?? null
    // A name that is given whole needs no parts.
    if (isPartOfName(key, value)) return []
    const words = toPlain(key, inner)
    if (words === '') return []
    if (!order.includes(key)) return [{ text: text('record.named', { name: key, words }) }]
    if (key === 'orcid') {
      const id = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/.exec(words)?.[0]
      return id === undefined ? linked(words) : [{ text: 'ORCID', href: `https://orcid.org/${id}` }]
    }
    return linked(words)
  })
}

/** Names of the fields of an element, as the schema has them one after another. */
function orderOf(root: RJSFSchema, name: string): readonly string[] {
  const field = schemaAt(root, root.properties?.[name])
  const element = schemaAt(root, field?.items) ?? field
  const choices = (element?.anyOf ?? []).map((each) => schemaAt(root, each))
  const whole = [element, ...choices].find((each) => each?.properties !== undefined)
  return Object.keys(whole?.properties ?? {})
}

function schemaAt(root: RJSFSchema, value: unknown): RJSFSchema | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const schema: RJSFSchema = value
  const definition = schema.$ref?.replace('#/definitions/', '')
  return definition === undefined ? schema : schemaAt(root, root.definitions?.[definition])
}

function isPartOfName(key: string, element: JsonObject): boolean {
  const hasName = typeof element['name'] === 'string' && element['name'] !== ''
  return hasName && (key === 'given_name' || key === 'family_name')
}

/** A web address or a DOI leads where it says. */
function linked(words: string): readonly Part[] {
  if (words === '') return []
  if (/^https?:\/\/\S+$/.test(words)) return [{ text: words, href: words }]
  if (/^10\.\d{4,9}\/\S+$/.test(words)) return [{ text: words, href: `https://doi.org/${words}` }]
  return [{ text: words }]
}

function inWords(name: string, value: Json): string {
  if (typeof value !== 'string') return toPlain(name, value)
  if (name === 'publication_date') return formatDate(value)
  if (name === 'language') return languageName(value)
  if (name === 'resource_type') {
    const term = termOf(resourceTypes, value) ?? value
    return term === 'Dataset' ? translatedTerm('Data set') : spaced(term)
  }
  return value.trim()
}

/** A value inside another one: names are told where there are several. */
function toPlain(name: string, value: Json): string {
  if (value === null) return ''
  if (isArray(value))
    return value
      .map((each) => toPlain(name, each))
      .filter(Boolean)
      .join('; ')
  if (isObject(value)) {
    const named = Object.entries(value).map(([key, inner]) => [key, toPlain(key, inner)] as const)
    return named
      .filter(([, words]) => words !== '')
      .map(([key, words]) => text('record.named', { name: key, words }))
      .join(', ')
  }
  if (typeof value !== 'string') return JSON.stringify(value)
  if (name === 'relation') return spaced(termOf(relationTypes, value) ?? value)
  if (name === 'date') return formatDate(value)
  return value.trim()
}

/** `IsSupplementTo` → `Is supplement to`. */
function spaced(term: string): string {
  const words = term.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return translatedTerm(words.charAt(0).toUpperCase() + words.slice(1))
}
