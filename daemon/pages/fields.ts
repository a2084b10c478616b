import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Parts,
  type PublishedRecord,
} from '../../core/index.ts'
import { linked, toKnownLine, toText, type Segment } from './field-lines.ts'
import { text, translated } from './text/text.ts'

/** A field of the document as the page shows it: a label and lines, of which some lead somewhere. */
export interface ShownField {
  readonly label: string
  readonly lines: readonly ShownLine[]
}

interface ShownLine {
  /** In a row, with what stands before all but the first. */
  readonly segments: readonly (Segment & { readonly between: string })[]
}

/** Fields that the head of the page and its margin already show, where they have this form. */
const shownElsewhere: Readonly<Record<string, (value: Json) => boolean>> = {
  title: isText,
  creators: Array.isArray,
  description: isText,
  publication_date: isText,
  resource_type: isText,
  keywords: (value) => Array.isArray(value) && value.every(isText),
  language: isText,
  license: isText,
  version: isText,
}

function isText(value: Json): boolean {
  return typeof value === 'string'
}

/**
 * The rest of the document, with the labels of its schema.
 *
 * @param now ISO 8601, UTC
 */
export function toFields(
  { metadata, schema }: Pick<PublishedRecord, 'metadata' | 'schema'>,
  schemas: Parts['schemas'],
  now: string,
): readonly ShownField[] {
  const whole = (schema === null ? undefined : schemas.find(schema)) ?? {}
  const known = objectIn(whole, 'properties')
  return Object.entries(metadata)
    .filter(([name, value]) => !isShownElsewhere(name, value) && !isEmpty(value))
    .map(([name, value]) => ({
      label: (Object.hasOwn(known, name) && translated(titleOf(known[name]))) || name,
      lines: (Array.isArray(value) ? value : [value]).map((line: Json) =>
        toLine(name, line, orderOf(known[name], whole), now),
      ),
    }))
}

function titleOf(schema: Json | undefined): string {
  return isJsonObject(schema) ? toText(schema['title']) : ''
}

function isShownElsewhere(name: string, value: Json): boolean {
  return Object.hasOwn(shownElsewhere, name) && shownElsewhere[name]?.(value) === true
}

function isEmpty(value: Json): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0)
}

/** Names of the fields of an element, as its schema has them one after another. */
function orderOf(field: Json | undefined, schema: JsonObject): readonly string[] {
  const items = objectIn(field, 'items')
  const definition = /^#\/definitions\/(.+)$/.exec(toText(items['$ref']))?.[1]
  const element =
    definition === undefined ? items : objectIn(objectIn(schema, 'definitions'), definition)
  return Object.keys(objectIn(element, 'properties'))
}

function objectIn(value: Json | undefined, name: string): JsonObject {
  const found = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return isJsonObject(found) ? found : {}
}

/** Its known form, else all values; those that the schema does not know have their names. */
function toLine(name: string, value: Json, order: readonly string[], now: string): ShownLine {
  const segments = toKnownLine(name, value, now) ?? toPlainLine(value, order)
  return {
    segments: segments.map((segment, at) => ({
      ...segment,
      between: at > 0 ? text('record.between') : '',
    })),
  }
}

function toPlainLine(value: Json, order: readonly string[]): readonly Segment[] {
  if (!isJsonObject(value)) return linked(toWords(value))
  const names = [...order, ...Object.keys(value).filter((name) => !order.includes(name))]
  return names.flatMap((name) => {
    const words = toWords((Object.hasOwn(value, name) ? value[name] : undefined) ?? null)
    if (words === '') return []
    return order.includes(name) ? linked(words) : [{ text: text('record.named', { name, words }) }]
  })
}

/** A value inside another: names are told, and brackets show what belongs together. */
function toWords(value: Json): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(toWords).filter(Boolean).join('; ')
  if (!isJsonObject(value)) return typeof value === 'string' ? value.trim() : JSON.stringify(value)
  const parts = Object.entries(value).map(([name, inner]) => {
    const words = toWords(inner)
    return text('record.named', { name, words: isJsonObject(inner) ? `(${words})` : words })
  })
  return parts.join(', ')
}
