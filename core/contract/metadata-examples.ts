import fields from './metadata/fields-v1.0.0.json' with { type: 'json' }
import { isJsonArray, isJsonObject, parsePointer, type Json } from '../base/json.ts'

/** A value of each field: all together are one valid document. */
export const fieldExamples: Readonly<Record<keyof typeof fields.properties, Json>> = {
  title: 'Hourly water levels at the north pier, March 2026',
  creators: [
    {
      name: 'Carberry, Josiah',
      given_name: 'Josiah',
      family_name: 'Carberry',
      orcid: '0000-0002-1825-0097',
      affiliation: [{ name: 'Harbour Observatory', ror: 'https://ror.org/04wxnsj81' }],
    },
    { name: 'Harbour Observatory' },
  ],
  contributors: [{ name: 'Le Guen, Maëlle', role: 'DataCurator' }],
  description: 'Two weeks of hourly water levels from a radar tide gauge.',
  methods: 'Measured each minute by a radar gauge; the mean of each hour is kept.',
  publication_date: '2026-03-16',
  publisher: { name: 'Harbour Observatory', ror: 'https://ror.org/04wxnsj81' },
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  access: { files: 'restricted', until: '2027-05-01', reason: 'A patent is pending.' },
  keywords: ['tide gauge', 'sea level'],
  subjects: ['Oceanography', { subject: 'Oceans and Seas', scheme: 'MeSH', identifier: 'D009792' }],
  related_identifiers: [
    {
      identifier: '10.1234/example',
      relation: 'IsSupplementTo',
      scheme: 'doi',
      resource_type: 'journalarticle',
    },
  ],
  references: ['Pugh, D. (1987): Tides, Surges and Mean Sea-Level. Wiley.'],
  alternate_identifiers: [{ identifier: 'HO-2026-17', scheme: 'accession number' }],
  doi: '10.5281/zenodo.1234567',
  funding: [
    {
      funder: 'German Research Foundation',
      funder_id: 'https://ror.org/018mejw64',
      award: '123456',
      award_title: 'Sea levels of the north coast',
      award_uri: 'https://example.org/grants/123456',
    },
  ],
  version: '1.0.0',
  language: 'en',
  dates: [{ date: '2026-03-01/2026-03-14', type: 'collected', description: 'Both days included' }],
  locations: [
    { place: 'North pier', point: { latitude: 54.18, longitude: 7.89 } },
    { place: 'Harbour', box: { west: 7.88, east: 7.9, south: 54.17, north: 54.19 } },
  ],
  notes: 'The gauge was replaced on 7 March.',
}

/** Fields that people often write in another form; an example of the others would be a wrong value. */
const oftenMistaken: readonly (keyof typeof fieldExamples)[] = [
  'creators',
  'contributors',
  'publication_date',
  'resource_type',
  'license',
  'keywords',
  'subjects',
  'related_identifiers',
  'references',
  'alternate_identifiers',
  'funding',
  'language',
  'dates',
]

/**
 * A line to write in place of what is wrong at a pointer: `"creators": [{"name": "Carberry, Josiah"}]`,
 * valid in YAML and in JSON. Undefined where there is none.
 *
 * @param schema of what is wrong, or of the object that lacks it: an operator's may give the name to
 *   something else
 */
export function lineFor(pointer: string, schema: unknown): string | undefined {
  const path = parsePointer(pointer) ?? []
  const [name = '', ...inner] = path
  const field = oftenMistaken.find((known) => known === name)
  if (field === undefined || !isOfPackage(schema)) return undefined
  let found: Json | undefined = fieldExamples[field]
  for (const token of inner) {
    if (isJsonArray(found)) [found] = found
    else found = isJsonObject(found) && Object.hasOwn(found, token) ? found[token] : undefined
  }
  if (found === undefined) return undefined
  const last = path.at(-1) ?? ''
  const value = write(shortOf(found))
  return /^\d+$/.test(last) ? value : `${JSON.stringify(last)}: ${value}`
}

/** Optional parts, which a short example leaves out. */
const spareParts: ReadonlySet<string> = new Set([
  'given_name',
  'family_name',
  'orcid',
  'affiliation',
  'scheme',
  'resource_type',
  'funder_id',
  'award_title',
  'award_uri',
  'description',
])

/** The plain elements of a list, or its first object; of an object what people mostly say. */
function shortOf(value: Json): Json {
  if (isJsonArray(value)) {
    const plain = value.filter((item) => !isJsonObject(item))
    return (plain.length === 0 ? value.slice(0, 1) : plain).map(shortOf)
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([part]) => !spareParts.has(part)))
}

/** JSON with blanks, as people write it: it is YAML too. */
function write(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(write).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const parts = Object.entries(value).map(
    ([name, part]) => `${JSON.stringify(name)}: ${write(part)}`,
  )
  return `{${parts.join(', ')}}`
}

const known = new WeakMap<object, boolean>()

/** Whether a part of a schema is one of those of the package. */
function isOfPackage(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const before = known.get(schema)
  if (before !== undefined) return before
  const text = JSON.stringify(schema)
  const isOurs = ownParts().has(text)
  known.set(schema, isOurs)
  return isOurs
}

/** Made on first use. */
let parts: ReadonlySet<string> | undefined

function ownParts(): ReadonlySet<string> {
  parts ??= new Set([...partsIn(fields.properties), ...partsIn(fields.definitions)])
  return parts
}

function* partsIn(value: unknown): Generator<string, undefined, undefined> {
  if (typeof value !== 'object' || value === null) return
  yield JSON.stringify(value)
  for (const part of Object.values(value)) yield* partsIn(part)
}
