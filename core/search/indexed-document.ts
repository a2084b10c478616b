import type { UserId } from '../access/caller.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { SchemaUrl } from '../deposit/document.ts'
import { toDepositDocument, toRecordDocument } from '../deposit/document.ts'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { depositPidType } from '../pid/deposit-pid.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Query } from './ast.ts'

/** The searchable form of a deposit or a record. */
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
  /** The `metadata` that clients see, with `_deposit` and `$schema`. */
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
    document: withPidType(toDepositDocument(deposit, schemaUrl), deposit.pidType),
  }
}

/**
 * Field below which a document has one named after the type of its identifier. Those of `depid` have
 * none, so that an index from before there were others stays as it was.
 */
const pidTypeField = ['_deposit', 'pid_type'] as const

function withPidType(document: JsonObject, pidType: string): JsonObject {
  const { _deposit } = document
  if (pidType === depositPidType || !isJsonObject(_deposit)) return document
  return { ...document, _deposit: { ..._deposit, pid_type: { [pidType]: true } } }
}

/** Narrows `query` to deposits whose identifiers are of a type. */
export function ofPidType(query: Query | undefined, pidType: string): Query {
  const narrowed: Query =
    pidType === depositPidType
      ? { type: 'not', clause: { type: 'exists', field: pidTypeField } }
      : { type: 'exists', field: [...pidTypeField, pidType] }
  return query ? { type: 'and', clauses: [query, narrowed] } : narrowed
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
