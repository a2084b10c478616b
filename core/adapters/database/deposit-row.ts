import type { UserId } from '../../access/caller.ts'
import type { Offer, Person } from '../../access/rights.ts'
import type { Review } from '../../access/review-rights.ts'
import {
  firstOwner,
  type Deposit,
  type DraftDeposit,
  type PublishedDeposit,
} from '../../deposit/deposit.ts'
import { withDocument } from '../../deposit/document.ts'
import type { BucketId } from '../../files/file.ts'
import { canonicalDocument } from '../../json/canonical.ts'
import type { DepositId } from '../../pid/deposit-pid.ts'
import type { Withdrawal } from '../../record/withdrawal.ts'
import type { DepositRow } from './schema/deposit-tables.ts'
import type { WholeDeposit } from './version-rows.ts'

export function fromRow(row: WholeDeposit): Deposit {
  return withDocument(fieldsOf(row), row.document)
}

type WithoutDocument = Omit<DraftDeposit, 'metadata'> | Omit<PublishedDeposit, 'metadata'>

function fieldsOf(row: WholeDeposit): WithoutDocument {
  const fields = {
    id: row.id as DepositId,
    pidType: row.pid_type,
    bucket: row.bucket_id as BucketId,
    owners: JSON.parse(row.owners) as readonly UserId[],
    createdBy: row.created_by as UserId,
    schema: row.schema_path,
    revision: row.revision,
    ...(row.base_revision === null ? {} : { base: row.base_revision }),
    concept: row.concept ?? '',
    ...(row.predecessor === null ? {} : { predecessor: row.predecessor }),
    ...(row.people === null ? {} : { people: JSON.parse(row.people) as readonly Person[] }),
    ...(row.offer === null ? {} : { offer: JSON.parse(row.offer) as Offer }),
    ...(row.withdrawal === null ? {} : { withdrawal: toWithdrawal(row.withdrawal) }),
    ...(row.review === null ? {} : { review: JSON.parse(row.review) as Review }),
    ...(row.makers === null ? {} : { makers: JSON.parse(row.makers) as readonly UserId[] }),
    indexed: row.indexed === 1,
    created: row.created,
    updated: row.updated,
  }
  const { record_type: type, record_value: value, record_revision: revision } = row
  if (type === null || value === null || revision === null) return { ...fields, status: 'draft' }
  const record = { type, value, revision }
  return { ...fields, status: row.status as Deposit['status'], record }
}

function toWithdrawal(text: string): Withdrawal {
  return JSON.parse(text) as Withdrawal
}

/** Nothing tells of those who made what is published. */
export function toMakers({ makers, status }: Pick<Deposit, 'makers' | 'status'>): string | null {
  return makers && makers.length > 0 && status === 'draft' ? JSON.stringify(makers) : null
}

export function toRow(deposit: Deposit | DraftDeposit): DepositRow {
  const { text, digest } = canonicalDocument(deposit.metadata)
  return {
    id: deposit.id,
    pid_type: deposit.pidType,
    bucket_id: deposit.bucket,
    status: deposit.status,
    owner: firstOwner(deposit),
    owners: JSON.stringify(deposit.owners),
    created_by: deposit.createdBy,
    schema_path: deposit.schema,
    document: text,
    digest,
    revision: deposit.revision,
    base_revision: deposit.base ?? null,
    record_type: deposit.record?.type ?? null,
    record_value: deposit.record?.value ?? null,
    record_revision: deposit.record?.revision ?? null,
    predecessor: deposit.predecessor ?? null,
    indexed: deposit.indexed ? 1 : 0,
    hidden: null,
    withdrawal: deposit.withdrawal ? JSON.stringify(deposit.withdrawal) : null,
    people: deposit.people ? JSON.stringify(deposit.people) : null,
    offer: deposit.offer ? JSON.stringify(deposit.offer) : null,
    review: deposit.review ? JSON.stringify(deposit.review) : null,
    submitted: deposit.review?.state === 'submitted' ? deposit.review.at : null,
    makers: toMakers(deposit),
    created: deposit.created,
    updated: deposit.updated,
  }
}
