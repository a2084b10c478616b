import fields from './metadata/fields-v1.0.0.json' with { type: 'json' }
import { isJsonArray, isJsonObject, parsePointer, type Json } from '../base/json.ts'

/** What people often write in another form than the schemas of the package have. */
const examples: Readonly<Record<string, Json>> = {
  creators: [{ name: 'Carberry, Josiah', affiliation: ['Harbour Observatory'] }],
  contributors: [
    { name: 'Le Guen, Maëlle', role: 'DataCurator', affiliation: ['Harbour Observatory'] },
  ],
  publication_date: '2026-11-20',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  keywords: ['tide gauge', 'sea level'],
  subjects: ['Oceanography'],
  related_identifiers: [{ identifier: '10.1234/example', relation: 'IsSupplementTo' }],
  references: ['Pugh, D. (1987): Tides, Surges and Mean Sea-Level. Wiley.'],
  alternate_identifiers: [{ identifier: 'HO-2026-17', scheme: 'accession number' }],
  funding: [{ funder: 'German Research Foundation', award: '123456' }],
  language: 'en',
  dates: [{ date: '2026-03-01/2026-03-14', type: 'collected' }],
}

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
  if (!Object.hasOwn(examples, name) || !isOfPackage(schema)) return undefined
  let found = examples[name]
  for (const token of inner) {
    if (isJsonArray(found)) [found] = found
    else found = isJsonObject(found) && Object.hasOwn(found, token) ? found[token] : undefined
  }
  if (found === undefined) return undefined
  const last = path.at(-1) ?? ''
  const value = write(shortOf(found))
  return /^\d+$/.test(last) ? value : `${JSON.stringify(last)}: ${value}`
}

/** Without what nobody has to say. */
function shortOf(value: Json): Json {
  if (isJsonArray(value)) return value.map(shortOf)
  if (!isJsonObject(value)) return value
  const { affiliation: _, ...others } = value
  return others
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
