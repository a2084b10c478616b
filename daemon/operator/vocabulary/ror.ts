import type { Term } from '../../../core/contract/vocabularies.ts'

/** An organization of ROR, as far as it is read, of version 1 or 2 of its schema. */
interface RorRecord {
  readonly id?: unknown
  readonly status?: unknown
  readonly types?: unknown
  /** Version 2. */
  readonly names?: unknown
  readonly locations?: unknown
  /** Version 1. */
  readonly name?: unknown
  readonly aliases?: unknown
  readonly acronyms?: unknown
  readonly labels?: unknown
  readonly country?: unknown
}

/** An organization, and whether ROR counts it among the funders. */
export interface RorOrganization {
  readonly term: Term
  readonly isFunder: boolean
}

/** True for an object of a data dump of ROR. */
export function isRor(value: object): value is RorRecord {
  if (!('id' in value) || typeof value.id !== 'string') return false
  // A list of one's own may have the identifiers of ROR too.
  const isNamed = 'names' in value || 'name' in value
  return value.id.startsWith('https://ror.org/') && isNamed && !('title' in value)
}

/**
 * An organization of ROR's data dump; undefined for one that was withdrawn there.
 *
 * @see https://ror.readme.io/docs/ror-data-structure
 */
export function toOrganization(record: RorRecord): RorOrganization | undefined {
  const id = textOf(record.id)
  const names = namesOf(record)
  const title = names[0]
  if (id === undefined || title === undefined || record.status === 'withdrawn') return undefined
  const aliases = [...new Set(names)].filter((name) => name !== title)
  const note = countryOf(record)
  const types = listOf(record.types).map((type) => String(type).toLowerCase())
  return {
    term: {
      id,
      title,
      ...(aliases.length > 0 && { aliases }),
      scheme: 'ROR',
      uri: id,
      ...(note !== undefined && { note }),
    },
    isFunder: types.includes('funder'),
  }
}

/** The name it is shown by comes first. */
function namesOf({ name, aliases, acronyms, labels, names }: RorRecord): readonly string[] {
  if (names === undefined) {
    const others = [...listOf(aliases), ...listOf(acronyms), ...listOf(labels).map(labelOf)]
    return [name, ...others].flatMap((each) => textOf(each) ?? [])
  }
  const all = listOf(names).flatMap((each) => {
    const { value, types } = fieldsOf(each)
    const text = textOf(value)
    return text === undefined ? [] : [{ text, isShown: listOf(types).includes('ror_display') }]
  })
  return all.toSorted((a, b) => Number(b.isShown) - Number(a.isShown)).map(({ text }) => text)
}

function labelOf(label: unknown): unknown {
  return fieldsOf(label)['label']
}

function countryOf({ locations, country }: RorRecord): string | undefined {
  const { geonames_details: place } = fieldsOf(listOf(locations)[0])
  const { name: town, country_name: land } = fieldsOf(place)
  const known = [textOf(town), textOf(land) ?? textOf(fieldsOf(country)['country_name'])]
  const told = known.filter((each) => each !== undefined)
  return told.length === 0 ? undefined : told.join(', ')
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
