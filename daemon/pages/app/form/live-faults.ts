import { format, Validator } from '@cfworker/json-schema'
import { findPastUntil } from '../../../../core/contract/file-access.ts'
import { metadataFormats } from '../../../../core/contract/metadata-formats.ts'
import { en } from '../../text/en.ts'
import { pastDay as texts } from '../../text/past-day.ts'
import { addTexts, text, type TextKey, translated } from '../../text/text.ts'
import type { Fault } from '../api/http.ts'
import { fieldOf, isArray, type JsonObject } from '../api/json.ts'
import { pruned } from '../../text/field-merge.ts'

Object.assign(format, metadataFormats)
addTexts(texts)

/** Finds faults that are certain while the user types. Missing fields are left to the rehearsal. */
const checked = new Set(
  'format pattern enum const minLength maxLength minimum maximum multipleOf uniqueItems'.split(' '),
)

const doi = /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)?10\.\d{4,9}\/\S+$/i

/**
 * Finds faults as one types, by the schema. Code is interpreted: the page's policy lets none be made.
 *
 * @param published the document of an edit as its page shows it first; absent of a new draft
 */
export function liveFaults(
  schema: JsonObject,
  published?: JsonObject,
): (document: JsonObject) => readonly Fault[] {
  const validator = new Validator(schema, '7', false)
  return (document) => {
    const filled = pruned(document) ?? {}
    const { errors } = validator.validate(filled)
    const found = errors
      .filter(({ keyword }) => checked.has(keyword))
      .map(({ instanceLocation, keyword, error }) => ({
        field: decodeURIComponent(instanceLocation.slice(1)),
        message: toMessage(keyword, error),
      }))
    return [...found, ...wrongDois(document), ...pastDay(document, published)]
  }
}

function toMessage(keyword: string, error: string): string {
  const name = keyword === 'format' ? /format "([^"]+)"/.exec(error)?.[1] : undefined
  const key = `fault.format.${name ?? ''}`
  return isKey(key) ? text(key) : translated(error)
}

function isKey(key: string): key is TextKey {
  return Object.hasOwn(en, key)
}

/** The files of a record would be public at once; an embargo that has ended stays in its record. */
function pastDay({ access }: JsonObject, published: JsonObject | undefined): readonly Fault[] {
  const fault = findPastUntil(access, new Date().toISOString())
  if (!fault || fieldOf(published?.['access'], 'until') === fault.until) return []
  return [{ field: fault.field, message: text('fault.pastDay') }]
}

/** An identifier that is said to be a DOI looks like one. */
function wrongDois(document: JsonObject): readonly Fault[] {
  const related = document['related_identifiers']
  if (!isArray(related)) return []
  return related.flatMap((item, index) => {
    const [scheme, identifier] = [fieldOf(item, 'scheme'), fieldOf(item, 'identifier')]
    const isWrong =
      typeof scheme === 'string' &&
      scheme.toLowerCase() === 'doi' &&
      typeof identifier === 'string' &&
      identifier !== '' &&
      !doi.test(identifier)
    const field = `/related_identifiers/${index}/identifier`
    return isWrong ? [{ field, message: text('fault.format.doi') }] : []
  })
}
