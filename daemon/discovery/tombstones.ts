import type {
  ToldWithdrawal,
  TombstoneBody,
  WithdrawalBody,
} from '../../core/contract/withdrawal.ts'
import { cite, doiOf, type Database, type DepositError, type Withdrawal } from '../../core/index.ts'
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
  return {
    id: value,
    url: links.recordPage(value),
    // As it was cited until then.
    citation: about ? cite({ ...about, ...(doi && { citedAs: doi.url }) }, 'apa') : '',
    ...(doi && { doi: doi.value }),
    ...tellWithdrawal(withdrawal, links),
  }
}

/** What everybody is told of a withdrawal. */
function tellWithdrawal(
  { at, by, reason, note, replacedBy }: ToldWithdrawal,
  links: Links,
): Omit<TombstoneBody, 'id' | 'url' | 'citation' | 'doi'> {
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
