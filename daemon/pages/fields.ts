import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Parts,
  type PublishedRecord,
} from '../../core/index.ts'
import { text } from './text/text.ts'

/** A field of the document as the page shows it: a label and lines, of which some lead somewhere. */
export interface ShownField {
  readonly label: string
  readonly lines: readonly Line[]
}

interface Line {
  readonly text: string
  readonly href?: string
}

/** Fields that the head of the page and its margin already show. */
const shownElsewhere: ReadonlySet<string> = new Set([
  'title',
  'creators',
  'description',
  'publication_date',
  'resource_type',
  'keywords',
  'language',
  'license',
  'version',
])

/** The rest of the document, with the labels of its schema. */
export function toFields(
  { metadata, schema }: PublishedRecord,
  schemas: Parts['schemas'],
): readonly ShownField[] {
  const whole = (schema === null ? undefined : schemas.find(schema)) ?? {}
  const known = objectIn(whole, 'properties')
  return Object.entries(metadata)
    .filter(([name, value]) => !shownElsewhere.has(name) && !isEmpty(value))
    .map(([name, value]) => ({
      label: (Object.hasOwn(known, name) && titleOf(known[name])) || name,
      lines: (Array.isArray(value) ? value : [value]).map((line: Json) =>
        toLine(line, orderOf(known[name], whole)),
      ),
    }))
}

/** The text, or nothing where it is something else. */
export function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : ''
}

function titleOf(schema: Json | undefined): string {
  return isJsonObject(schema) ? toText(schema['title']) : ''
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

function toLine(value: Json, order: readonly string[]): Line {
  if (!isJsonObject(value)) return toLinked(typeof value === 'string' ? value : toPlain(value))
  const [identifier, relation] = [toText(value['identifier']), toText(value['relation'])]
  if (identifier && relation) {
    return { ...toLinked(identifier), text: `${inWords(relation)} ${identifier}` }
  }
  const names = [...order, ...Object.keys(value).filter((name) => !order.includes(name))]
  const parts = names.flatMap((name) => (Object.hasOwn(value, name) ? (value[name] ?? []) : []))
  return { text: parts.map(toPlain).filter(Boolean).join(text('record.between')) }
}

/** Only what is plainly a web address or a DOI leads anywhere. */
function toLinked(value: string): Line {
  const doi = /^(?:doi:)?(10\.\d{4,9}\/[^\s"<>]+)$/i.exec(value)?.[1]
  if (doi !== undefined) return { text: value, href: `https://doi.org/${doi}` }
  return /^https?:\/\/[^\s"<>]+$/.test(value) ? { text: value, href: value } : { text: value }
}

function toPlain(value: Json): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(toPlain).join('; ')
  return JSON.stringify(value)
}

/** `IsSupplementTo` → `Is supplement to`. */
function inWords(relation: string): string {
  const words = relation.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
