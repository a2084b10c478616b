import type { Description } from '../../../core/describe/description.ts'
import type { Finding } from '../../output/finding.ts'

/** Fields with entries, by their names in a document. */
const lists = {
  creators: 'creators',
  contributors: 'contributors',
  keywords: 'keywords',
  subjects: 'subjects',
  related_identifiers: 'relations',
  references: 'references',
  alternate_identifiers: 'alternateIdentifiers',
  funding: 'funding',
  dates: 'dates',
  locations: 'locations',
} as const satisfies Readonly<Record<string, keyof Description>>

/** Fields with one value. */
const values = {
  title: 'title',
  description: 'description',
  methods: 'methods',
  notes: 'notes',
  version: 'version',
  language: 'language',
  license: 'rights',
} as const satisfies Readonly<Record<string, keyof Description>>

/** Fields that other rules look at. */
const others = ['$schema', 'publication_date', 'publisher', 'resource_type', 'access', 'doi']

const told = new Set([...Object.keys(lists), ...Object.keys(values), ...others])

/** Whether repositories have a field like this, or it is a remark. */
export function isToldField(field: string): boolean {
  return told.has(field) || field.startsWith('_')
}

/**
 * What no repository is told of a document: fields that are none of ours, and entries in another shape
 * than theirs.
 */
export function untold(about: Description): readonly Finding[] {
  const { document } = about
  return [
    ...Object.entries(lists).flatMap(([field, name]) =>
      missingIn(field, document[field], about[name].length),
    ),
    ...Object.entries(values).flatMap(([field, name]) =>
      hasValue(document[field]) && about[name] === undefined ? [misshapen(field, '')] : [],
    ),
    ...Object.keys(document)
      .filter((field) => !isToldField(field) && hasValue(document[field]))
      .map((field) => stays(field, 'other repositories have no such field')),
  ]
}

function missingIn(field: string, value: unknown, told: number): readonly Finding[] {
  const all = Array.isArray(value) ? new Set(value.map((each) => JSON.stringify(each))).size : 1
  if (!hasValue(value) || told >= all) return []
  return [misshapen(field, all === 1 ? '' : `${all - told} of its ${all} entries: `)]
}

function misshapen(field: string, which: string): Finding {
  return stays(field, `${which}it is not in the form that deposit-metadata(5) describes`)
}

export function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== ''
}

/** What a repository has no place for. @param field of a document, without a slash before it */
export function stays(field: string, because: string): Finding {
  const words = because.charAt(0).toUpperCase() + because.slice(1)
  return { field: `/${field}`, message: `${words}.` }
}

/** What is lost at every repository that names organizations and has no place for their identifiers. */
export function withoutIdentifiers(about: Description, name: string): readonly Finding[] {
  const because = `${name} takes affiliations by their names, without their ROR identifiers`
  const has = (agents: Description['creators']): boolean =>
    agents.some(({ affiliations }) => affiliations.some(({ ror }) => ror !== undefined))
  return [
    ...(has(about.creators) ? [stays('creators', because)] : []),
    ...(has(about.contributors) ? [stays('contributors', because)] : []),
    ...(about.publisher.ror === undefined
      ? []
      : [stays('publisher', `${name} takes the name of a publisher, without its ROR identifier`)]),
  ]
}
