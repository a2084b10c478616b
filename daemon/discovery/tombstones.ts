import type {
  ToldWithdrawal,
  TombstoneBody,
  WithdrawalBody,
} from '../../core/contract/withdrawal.ts'
import {
  cite,
  doiOf,
  type Database,
  type DepositError,
  type PublishedRecord,
  type Withdrawal,
} from '../../core/index.ts'
import type { Links } from '../config/links.ts'
import type { Describer } from './describer.ts'

type Withdrawn = DepositError<'record_withdrawn'>

interface Parts {
  readonly describer: Describer
  readonly links: Links
  readonly parts: { readonly database: Database }
}

/** Tells what is left of a record that was withdrawn. */
export async function tombstoneOf(
  { describer, links, parts: { database } }: Parts,
  { details: { value, withdrawal } }: Withdrawn,
): Promise<TombstoneBody> {
  const identifiers = (await database.read.identifiers.ofSubjects([value])).get(value)
  const doi = identifiers?.find(
    ({ scheme, registered }) => scheme === 'doi' && registered !== undefined,
  )
  const record = await database.read.records.find(value)
  const about = record && (await describer.record(record, { files: [] }))
  const others = record ? await otherVersions(database, record, links) : []
  return {
    id: value,
    url: links.recordPage(value),
    // As it was cited until then.
    citation: about ? cite({ ...about, ...(doi && { citedAs: doi.url }) }, 'apa') : '',
    ...(doi && { doi: doi.value }),
    ...(others.length > 0 && { other_versions: [...others] }),
    ...tellWithdrawal(withdrawal, links),
  }
}

/** Versions that are named at most. */
const mostVersions = 10

/** The newest versions of its concept that are public. */
async function otherVersions(
  { read: { records } }: Database,
  { concept }: PublishedRecord,
  links: Links,
): Promise<NonNullable<TombstoneBody['other_versions']>> {
  const { values } = await records.versions(concept, { offset: 0, limit: mostVersions })
  return (await records.findAll(values)).map(({ value, number, metadata }) => {
    const { version } = metadata
    const named = typeof version === 'string' && version.trim() !== '' ? version : String(number)
    return { id: value, url: links.recordPage(value), version: named.slice(0, 200) }
  })
}

/** What everybody is told of a withdrawal. */
function tellWithdrawal(
  { at, by, reason, note, replacedBy }: ToldWithdrawal,
  links: Links,
): Omit<TombstoneBody, 'id' | 'url' | 'citation' | 'doi' | 'other_versions'> {
  return {
    at,
    by,
    reason,
    ...(note !== undefined && { note }),
    ...(replacedBy !== undefined && {
      replaced_by: { identifier: replacedBy, url: addressOf(replacedBy, links) },
    }),
  }
}

/** What those who may read the deposit are told. */
export function toWithdrawalBody(withdrawal: Withdrawal, links: Links): WithdrawalBody {
  const { bytesDestroyed, keptBy } = withdrawal
  return {
    ...tellWithdrawal(withdrawal, links),
    bytes_destroyed: bytesDestroyed,
    ...(keptBy && { bytes_kept_by: [...keptBy] }),
  }
}

function addressOf(identifier: string, links: Links): string {
  if (/^https?:/i.test(identifier)) return identifier
  const doi = doiOf(identifier)
  return doi === undefined ? links.recordPage(identifier) : `https://doi.org/${doi}`
}
