import type { UserId } from '../access/caller.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { SchemaUrl } from '../deposit/document.ts'
import { toDepositDocument, toRecordDocument } from '../deposit/document.ts'
import type { JsonObject } from '../json.ts'
import type { PublishedRecord } from '../record/record.ts'

/** What of a deposit or a record can be found. */
export interface IndexedDocument {
  /** Unique among the documents of its kind. */
  readonly id: string
  readonly kind: 'deposit' | 'record'
  /** Rises with each change of the document. */
  readonly revision: number
  readonly owners: readonly UserId[]
  readonly status: 'draft' | 'published'
  /** ISO 8601, UTC. */
  readonly created: string
  readonly updated: string
  /** What clients see as `metadata`, with `_deposit` and `$schema`. */
  readonly document: JsonObject
}

export function toIndexedDeposit(deposit: Deposit, schemaUrl: SchemaUrl): IndexedDocument {
  return {
    id: deposit.id,
    kind: 'deposit',
    revision: deposit.revision,
    owners: deposit.owners,
    status: deposit.status,
    created: deposit.created,
    updated: deposit.updated,
    document: toDepositDocument(deposit, schemaUrl),
  }
}

/** A record's id is the value of its identifier. */
export function toIndexedRecord(record: PublishedRecord, schemaUrl: SchemaUrl): IndexedDocument {
  return {
    id: record.value,
    kind: 'record',
    revision: record.revision,
    owners: record.deposit.owners,
    status: 'published',
    created: record.created,
    updated: record.updated,
    document: toRecordDocument(record, schemaUrl),
  }
}
