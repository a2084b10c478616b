import { asJson, asList, asText, isJson, type Json } from '../exchange.ts'
import type { FieldFault, Version } from '../invenio/store.ts'

const words = (text: string): readonly string[] => text.split(/\s+/)
const vocabularies: Readonly<Record<string, readonly string[]>> = {
  upload_type: words(
    'publication poster presentation dataset image video software lesson physicalobject model other',
  ),
  publication_type:
    words(`annotationcollection book section conferencepaper datamanagementplan article patent
    preprint deliverable milestone proposal report softwaredocumentation taxonomictreatment technicalnote thesis
    workingpaper other`),
  image_type: words('figure plot drawing diagram photo other'),
  access_right: words('open embargoed restricted closed'),
}
const lists =
  words(`creators contributors keywords related_identifiers references communities grants subjects
  locations dates thesis_supervisors`)

/**
 * What is refused even in a draft: shapes that cannot be read. What is missing is not.
 * @see https://github.com/zenodo/zenodo-rdm `site/tests/legacy/deposits/test_rest_api_metadata.py`
 */
export function checkMetadata(body: Json): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const add = (field: string, message: string): void =>
    void faults.push({ field, messages: [message] })
  for (const name of Object.keys(body)) {
    if (!['metadata', 'files'].includes(name)) add(name, 'Unknown field.')
  }
  const metadata = body['metadata'] ?? {}
  if (!isJson(metadata))
    return [...faults, { field: 'metadata', messages: ['Invalid input type.'] }]
  for (const name of lists) {
    const value = metadata[name]
    if (value === undefined || Array.isArray(value)) continue
    const isRelated = name === 'related_identifiers'
    if (name === 'communities')
      add(name, "Communities must be a list of objects with an 'identifier' key.")
    else add(`metadata.${name}`, isRelated ? `${name} must be a list` : 'Not a valid list.')
  }
  for (const [name, allowed] of Object.entries(vocabularies)) {
    const value = metadata[name]
    if (value !== undefined && !allowed.includes(asText(value)))
      add(`metadata.${name}`, 'Not a valid choice.')
  }
  const related = metadata['related_identifiers']
  const each: readonly unknown[] = Array.isArray(related) ? related : []
  each.forEach((one, at) => {
    const field = `metadata.related_identifiers.${at}`
    if (!isJson(one)) add(field, 'Each related identifier must be an object')
    else if (typeof one['relation'] !== 'string')
      add(`${field}.relation`, 'relation must be a string')
  })
  if (
    Array.isArray(metadata['communities']) &&
    metadata['communities'].some((one) => typeof asJson(one)['identifier'] !== 'string')
  ) {
    add('communities', "Communities must be a list of objects with an 'identifier' key.")
  }
  const { license } = metadata
  if (
    license !== undefined &&
    typeof license !== 'string' &&
    typeof asJson(license)['id'] !== 'string'
  ) {
    add('metadata.license', 'Invalid license value provided.')
  }
  const { access_right, embargo_date } = metadata
  if (access_right === 'embargoed' && !embargo_date) add('_schema', 'Unknown access type.')
  return faults
}

/** @see https://developers.zenodo.org/#representation */
export function withDefaults(sent: Json): Json {
  if (Object.keys(sent).length === 0) return {}
  const { prereserve_doi: _, license, doi, related_identifiers, ...metadata } = sent
  const { access_right = 'open', upload_type, publication_date } = metadata
  const usual = upload_type === 'dataset' ? 'cc-zero' : 'cc-by-4.0'
  const isOpen = access_right === 'open' || access_right === 'embargoed'
  const chosen =
    license === undefined ? (isOpen ? usual : undefined) : asText(asJson(license)['id'] ?? license)
  const kept = Object.entries({ ...metadata, access_right }).filter(
    ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
  const related = asList(related_identifiers).map((one) => ({
    scheme: schemeOf(asText(asJson(one)['identifier'])),
    ...asJson(one),
  }))
  return {
    ...Object.fromEntries(kept),
    ...(doi ? { doi } : {}),
    ...(chosen && { license: chosen.toLowerCase() }),
    ...(related.length > 0 && { related_identifiers: related }),
    ...(publication_date === undefined && {
      publication_date: new Date().toISOString().slice(0, 10),
    }),
  }
}

function schemeOf(identifier: string): string {
  if (/^(https?:\/\/(dx\.)?doi\.org\/)?10\.\d+\//.test(identifier)) return 'doi'
  if (/^https?:/.test(identifier)) return 'url'
  if (/^urn:/i.test(identifier)) return 'urn'
  return /^arxiv:/i.test(identifier) ? 'arxiv' : 'other'
}

/** @see https://developers.zenodo.org/#publish */
export function missingForPublishing({ document, files }: Version): readonly FieldFault[] {
  const missing = (field: string): FieldFault => ({
    field,
    messages: ['Missing data for required field.'],
  })
  const names = ['upload_type', 'publication_date', 'title', 'creators']
  const absent = names.filter(
    (name) => asList(document[name]).length === 0 || document[name] === '',
  )
  const { upload_type } = document
  const kind = (type: string, name: string) =>
    upload_type === type && document[name] === undefined ? [missing(`metadata.${name}`)] : []
  const nameless = asList(document['creators']).flatMap((creator, at) =>
    asJson(creator)['name'] ? [] : [missing(`metadata.creators.${at}.person_or_org.family_name`)],
  )
  const short = asText(document['title'])
  const tooShort = { field: 'metadata.title', messages: ['Shorter than minimum length 3.'] }
  const noFiles = {
    field: 'files.enabled',
    messages: [
      'Missing uploaded files. To disable files for this record please mark it as metadata-only.',
    ],
  }
  return [
    ...absent.map((name) => missing(`metadata.${name === 'upload_type' ? 'resource_type' : name}`)),
    ...(short && short.length < 3 ? [tooShort] : []),
    ...kind('publication', 'publication_type'),
    ...kind('image', 'image_type'),
    ...nameless,
    ...(files.size === 0 ? [noFiles] : []),
  ]
}
