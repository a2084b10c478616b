import { parseUserId } from '../access/caller.ts'
import type { Deposit, DraftDeposit } from './deposit.ts'

/**
 * Fields that tell nothing of who made a deposit, unless their text does. All others are hidden, also
 * those that no schema of ours knows.
 */
const neutral: ReadonlySet<string> = new Set([
  'title',
  'description',
  'methods',
  'resource_type',
  'license',
  'keywords',
  'subjects',
  'language',
  'version',
  'dates',
  'publication_date',
  'locations',
  'references',
  'notes',
  'access',
])

/**
 * A deposit without everything that tells who made it: owners, creators, contributors with their
 * affiliations, funding, and identifiers that lead to any of these, such as a DOI. It looks like a
 * draft, also where there is a record, which has all of that.
 */
export function withoutMakers(deposit: Deposit): DraftDeposit {
  const { id, pidType, bucket, schema, metadata, revision, indexed, created, updated } = deposit
  const shown = Object.entries(metadata).filter(([name]) => neutral.has(name))
  return {
    id,
    pidType,
    bucket,
    schema,
    revision,
    indexed,
    created,
    updated,
    status: 'draft',
    metadata: Object.fromEntries(shown),
    owners: [],
    createdBy: parseUserId(''),
    concept: '',
    hidesMakers: true,
  }
}
