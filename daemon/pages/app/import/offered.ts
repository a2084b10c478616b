import type { RJSFSchema } from '@rjsf/utils'
import { doiOf } from '../../../../core/contract/foreign-values.ts'
import { fieldOf, isArray, isObject, type Json, type JsonObject } from '../api/json.ts'

/** What an import offers for a document, and what of it is chosen at first. */
export interface Offered {
  readonly fields: JsonObject
  readonly chosen: ReadonlySet<string>
}

const related = 'related_identifiers'

/** Types of works whose DOI is hardly ever that of the data. */
const publications: ReadonlySet<string> = new Set([
  'journalarticle',
  'conferencepaper',
  'conferenceproceeding',
  'book',
  'bookchapter',
  'dissertation',
  'preprint',
  'report',
  'text',
])

/**
 * What was read, without what the document has already. Filled fields stay unless they are chosen,
 * and so does a DOI: with it, the record gets none of its own. That of an article is offered as a
 * related work, beside those that are there.
 */
export function offer(read: JsonObject, document: JsonObject, schema: RJSFSchema): Offered {
  const added = relatedWork(read, document, schema)
  const fields = Object.fromEntries(
    Object.entries({ ...read, ...added }).filter(([name, value]) => !isSame(value, document[name])),
  )
  const chosen = Object.keys(fields).filter(
    (name) => name !== 'doi' && (isEmpty(document[name]) || (name === related && added)),
  )
  return { fields, chosen: new Set(chosen) }
}

function relatedWork(
  { doi: named, resource_type: type, ...read }: JsonObject,
  document: JsonObject,
  schema: RJSFSchema,
): JsonObject | undefined {
  const doi = doiOf(named)
  const isPublication = typeof type === 'string' && publications.has(type)
  if (doi === undefined || !isPublication || !(related in (schema.properties ?? {})))
    return undefined
  const there = [...listOf(document[related]), ...listOf(read[related])]
  const isThere = there.some((each) => doiOf(fieldOf(each, 'identifier')) === doi)
  if (isThere) return undefined
  return { [related]: [...there, { identifier: doi, relation: 'IsSupplementTo', scheme: 'doi' }] }
}

function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : []
}

export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  if (isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

/** A term counts whichever way it is written: `Dataset` and `dataset`. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (typeof one === 'string' && typeof other === 'string')
    return one === other || (/^\w+$/.test(one) && one.toLowerCase() === other.toLowerCase())
  return JSON.stringify(one) === JSON.stringify(other)
}
