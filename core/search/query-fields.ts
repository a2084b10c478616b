import type { FieldPath, Query } from './ast.ts'
import type { QueryReader } from './query-reader.ts'

const name = String.raw`(?:[\p{L}_$@]|\\.)(?:[\p{L}\p{N}_$@-]|\\.)*`
const fieldPath = new RegExp(String.raw`${name}(?:\.${name})*`, 'uy')
const field = new RegExp(String.raw`${name}(?:\.${name})*:`, 'uy')

/** Web addresses and URNs are words, with any name before their colon. */
const address = /[a-z][a-z\d+.-]*:\/\/|urn:\S/iuy

/** Identifiers people write with a scheme and documents mostly without; the scheme is left out. */
const scheme = /doi:(?=10\.\d)|orcid:(?=\d{4}-\d{4}-)/iuy

/** Short names of fields that the service itself keeps. */
const shortNames: ReadonlyMap<string, FieldPath> = new Map([
  ['status', ['_deposit', 'status']],
  ['id', ['_deposit', 'id']],
  ['owner', ['_deposit', 'owners']],
  ['record', ['_deposit', 'value']],
  ['created', ['_created']],
  ['updated', ['_updated']],
])

export function isShortName(text: string): boolean {
  return shortNames.has(text)
}

/** A short name means the service's field as well as a field of that name in the document. */
export function withShortName(clause: Query): Query {
  if (!('field' in clause) || clause.field?.length !== 1) return clause
  const field = shortNames.get(clause.field[0] ?? '')
  return field ? { type: 'or', clauses: [clause, { ...clause, field }] } : clause
}

/** Takes `creators.name:` where a field is next. */
export function readField(reader: QueryReader): FieldPath | undefined {
  if (reader.match(address) !== undefined) return undefined
  if (reader.takeMatch(scheme) !== undefined) return undefined
  const start = reader.offset
  const found = reader.takeMatch(field)
  if (found === undefined) return undefined
  if (reader.atWordEnd && !reader.sees('(') && !reader.sees('"')) {
    reader.fail(
      `The field "${found.slice(0, -1)}" has no value; write \\: for a colon that is text.`,
      start,
    )
  }
  return toPath(found.slice(0, -1))
}

/** Takes the name behind `_exists_:`. */
export function readFieldName(reader: QueryReader): FieldPath {
  const found = reader.takeMatch(fieldPath)
  if (found === undefined || !reader.atWordEnd) reader.fail('The name of a field comes here.')
  return toPath(found)
}

/** Splits at dots; a dot behind a backslash is part of a name. */
function toPath(text: string): FieldPath {
  const names = text.match(/(?:[^.\\]|\\.)+/gsu) ?? []
  return names.map((part) => part.replaceAll(/\\(.)/gsu, '$1'))
}
