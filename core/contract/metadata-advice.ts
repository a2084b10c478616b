import type correctLicense from 'spdx-correct'
import { isAccessField } from './access-fields.ts'
import { findAccessDoubts } from './access-limits.ts'
import { isFields, type Fields } from './access-names.ts'
import { childPointer } from '../base/json.ts'
import { discoveryRules, isMissing } from './discovery-advice.ts'
import { nearest, suggestion } from './nearest.ts'
import type { SchemaFault } from './schema-fault.ts'

/** Limit of messages. */
const maxAdvice = 100

/** Longest license that is parsed as an expression: the time grows with the square. */
const longestLicense = 200

/**
 * Fields that are missing but recommended by the keyword `recommended` of the schema, and those of
 * its fields that do not help others to find the record.
 */
export function findMissing(schema: Fields, document: Fields): readonly SchemaFault[] {
  const { properties, recommended } = schema
  const known = isFields(properties) ? properties : {}
  const missing = namesIn(recommended)
    .filter((name) => isMissing(own(document, name)))
    .map((name) => ({ name, message: `A record should have the field "${name}".` }))
  const unfound = discoveryRules.flatMap(({ field: name, judge }) => {
    const isTold = missing.some((each) => each.name === name)
    const message = Object.hasOwn(known, name) && !isTold ? judge(document) : undefined
    return message === undefined ? [] : [{ name, message }]
  })
  return [...missing, ...unfound].map(({ name, message }) => ({
    field: childPointer('', name),
    message,
  }))
}

/**
 * Probable mistakes that the schema allows: unknown fields, and a license, language or year that
 * does not exist. They do not prevent publishing.
 */
export function findDoubts(
  schema: Fields,
  document: Fields,
  { now, spdx }: Knowledge,
): readonly SchemaFault[] {
  const { properties } = schema
  const known = isFields(properties) ? properties : {}
  const doubts = Object.entries(judges).flatMap(([name, judge]) => {
    const value = own(document, name)
    const message =
      Object.hasOwn(known, name) && typeof value === 'string' && judge(value, { now, spdx })
    return message ? [{ field: childPointer('', name), message }] : []
  })
  // What clients of Zenodo have sent, and no field of ours says, is under `zenodo`.
  const { _deposit, $schema, zenodo, ...fields } = document
  const unknown = unknownIn(schema, schema, fields, '').take(maxAdvice)
  return [...unknown, ...findAccessDoubts(document, now), ...doubts].slice(0, maxAdvice)
}

interface Knowledge {
  /** ISO 8601, in UTC. */
  readonly now: string
  /** `spdx-correct`, which takes long to load: asked for documents with a license alone. */
  readonly spdx: typeof correctLicense
}

/** Unknown fields that are probably a misspelling of a recommended field that is missing. */
export function findMisspelt(schema: Fields, document: Fields): readonly SchemaFault[] {
  const { properties, required, recommended } = schema
  if (!isFields(properties)) return []
  const wanted = [...namesIn(required), ...namesIn(recommended)]
  const lacking = wanted.filter((name) => isMissing(own(document, name)))
  return Object.keys(document).flatMap((name) => {
    if (Object.hasOwn(properties, name) || isAccessField(name)) return []
    const near = Object.hasOwn(surelyMeant, name)
      ? surelyMeant[name]
      : nearest(name, Object.keys(properties))
    if (near === undefined || !lacking.includes(near)) return []
    const message = `"${name}" is not a field of the schema, and "${near}" is missing; did you mean "${near}"?`
    return [{ field: childPointer('', name), message }]
  })
}

/** Names that can hardly mean anything else where our field is missing. */
const surelyMeant: Readonly<Record<string, string>> = {
  author: 'creators',
  authors: 'creators',
  name: 'title',
}

const judges: Readonly<Record<string, (value: string, known: Knowledge) => string | undefined>> = {
  license: doubtLicense,
  language: doubtLanguage,
  publication_date: doubtYear,
}

/** Identifiers that other services give their records, beside the metadata of those. */
const foreignIds = new Set([
  'pids',
  'parent',
  'conceptdoi',
  'conceptrecid',
  'recid',
  'record_id',
  'doi_url',
  'prereserve_doi',
])

/** Names that other forms of metadata have for our fields. */
const otherNames: Readonly<Record<string, string>> = {
  ...surelyMeant,
  abstract: 'description',
  date: 'publication_date',
  rights: 'license',
  tags: 'keywords',
  type: 'resource_type',
}

/** `; did you mean "license"?` for `rights`, where the document has no `license`. */
function meantBy(name: string, document: Fields, names: readonly string[]): string | undefined {
  const meant = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined
  if (meant === undefined || !names.includes(meant) || !isMissing(own(document, meant)))
    return undefined
  return `; did you mean "${meant}"?`
}

const identifiesNothing =
  ': it is kept as it is, and identifies nothing here. A DOI that the work has elsewhere is written as "doi", another identifier in "alternate_identifiers".'

/** Fields that the schema does not know, at any depth. */
function* unknownIn(
  root: Fields,
  given: unknown,
  value: unknown,
  pointer: string,
): Generator<SchemaFault, undefined, undefined> {
  const schema = resolve(root, given)
  if (schema === undefined) return
  if (Array.isArray(value)) {
    for (const [at, item] of value.slice(0, maxAdvice).entries()) {
      yield* unknownIn(root, schema['items'], item, childPointer(pointer, at))
    }
    return
  }
  const { properties } = schema
  if (!isFields(value) || !isFields(properties)) return
  const names = Object.keys(properties)
  for (const [name, part] of Object.entries(value)) {
    const field = childPointer(pointer, name)
    if (Object.hasOwn(properties, name)) yield* unknownIn(root, properties[name], part, field)
    else if (pointer !== '' || !isAccessField(name)) {
      const isForeignId = pointer === '' && foreignIds.has(name) && names.includes('doi')
      const meant = pointer === '' ? meantBy(name, value, names) : undefined
      const more = isForeignId ? identifiesNothing : (meant ?? suggestion(name, names))
      const said = more === '' ? '; it is kept as it is.' : more
      yield { field, message: `"${name}" is not a field of the schema${said}` }
    }
  }
}

const definition = /^#\/definitions\/([^/]+)$/

/** The fields of a schema; undefined if they cannot be known. */
function resolve(root: Fields, schema: unknown): Fields | undefined {
  if (!isFields(schema)) return undefined
  const [, name] = typeof schema['$ref'] === 'string' ? (definition.exec(schema['$ref']) ?? []) : []
  const { definitions } = root
  if (name !== undefined && isFields(definitions)) return resolve({}, definitions[name])
  const isPlain = ['allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', '$ref'].every(
    (keyword) => !Object.hasOwn(schema, keyword),
  )
  return isPlain ? schema : undefined
}

function doubtLicense(license: string, { spdx: correct }: Knowledge): string | undefined {
  if (license.trim() === '') return undefined
  if (license.length > longestLicense) {
    return `The license has more than ${longestLicense} characters; name it by its SPDX identifier, such as "CC-BY-4.0".`
  }
  const spdx = correct(license, { upgrade: false })
  if (spdx === license) return undefined
  const near = spdx === null ? ', such as "CC-BY-4.0".' : `; did you mean "${spdx}"?`
  return `"${license}" is not an SPDX identifier${near}`
}

/** Made on first use. */
let languageNames: Intl.DisplayNames | undefined

function doubtLanguage(tag: string): string | undefined {
  languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const names = languageNames
  try {
    const { language } = new Intl.Locale(tag)
    if (names.of(language) !== undefined) return undefined
  } catch (error) {
    // The schema checks the form.
    if (error instanceof RangeError) return undefined
    throw error
  }
  const name = tag.toLowerCase()
  const code = languageCodes.find((known) => names.of(known)?.toLowerCase() === name)
  const near = code === undefined ? ', such as "en" or "de".' : `; did you mean "${code}"?`
  return `"${tag}" is not the code of a language${near}`
}

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
const languageCodes = letters.flatMap((one) => letters.map((other) => one + other))

/** Doubts a year before 1450, when printing began, or in the future. */
function doubtYear(date: string, { now }: Knowledge): string | undefined {
  const [year, thisYear] = [Number(/^\d{4}(?!\d)/.exec(date)?.[0]), Number(now.slice(0, 4))]
  if (Number.isNaN(year) || (year >= 1450 && year <= thisYear + 1)) return undefined
  return `The year ${year} is far from ${thisYear}: is the date right?`
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []
}

function own(document: Fields, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined
}
