import { toRow as toDepositRow } from '../../../core/adapters/database/deposit-row.ts'
import { toVersionRow } from '../../../core/adapters/database/version-rows.ts'
import { toRow as toPidRow } from '../../../core/adapters/database/pid-rows.ts'
import { toRow as toRecordRow } from '../../../core/adapters/database/record-rows.ts'
import type {
  DepositRow,
  PidRow,
  RecordRevisionRow,
  VersionRow,
} from '../../../core/adapters/database/schema/tables.ts'
import { toSearchRow, type SearchRow } from '../../../core/adapters/search/postgres/search-row.ts'
import { defaults } from '../../../core/contract/defaults.ts'
import type { Deposit } from '../../../core/deposit/deposit.ts'
import { newDraft } from '../../../core/deposit/new-draft.ts'
import { snapshot } from '../../../core/actions/publish.ts'
import { newBucketId } from '../../../core/files/file.ts'
import type { UserId } from '../../../core/index.ts'
import type { JsonObject } from '../../../core/base/json.ts'
import { mintDepositPid } from '../../../core/pid/deposit-pid.ts'
import { mintConcept, mintRecid } from '../../../core/pid/record-minters.ts'
import type { PublishedRecord } from '../../../core/record/record.ts'
import { toIndexedDeposit, toIndexedRecord } from '../../../core/search/indexed-document.ts'
import { documentOf } from '../documents.ts'

/** Files of each deposit. */
export const filesEach = 10

/** A deposit with all its rows except those of its files, as the program writes them. */
export interface SeededRows {
  readonly deposit: DepositRow
  readonly pids: readonly PidRow[]
  readonly version: VersionRow
  readonly found: SearchRow
  /** Only for a published one. */
  readonly record?: { readonly row: RecordRevisionRow; readonly found: SearchRow }
}

const samePath = (path: string): string => path

/** The rows that are left by requests that create deposit `index`, upload its files, publish it. */
export function rowsOf(index: number, owner: UserId, isPublished: boolean): SeededRows {
  const pid = mintDepositPid()
  const concept = mintConcept(mintRecid)
  const draft = newDraft({
    id: pid.value,
    pidType: pid.type,
    bucket: newBucketId(),
    owner,
    concept: concept.value,
    schema: defaults.DEPOSIT_DEFAULT_JSONSCHEMA,
    metadata: asReadBack(index),
    now: timeOf(index),
  })
  const filled = { ...draft, revision: filesEach }
  if (!isPublished) return ofDeposit(filled, [toPidRow(pid), toPidRow(concept)])
  const recid = mintRecid()
  const record = snapshot(filled, recid, { schema: recordSchema, now: draft.updated })
  const { type, value, revision } = record
  const published: Deposit = {
    ...filled,
    revision: filesEach + 1,
    status: 'published',
    record: { type, value, revision },
  }
  return {
    ...ofDeposit(published, [toPidRow(pid), toPidRow(concept), toPidRow(recid)]),
    record: ofRecord(record),
  }
}

/** The document with its fields in the order of canonical JSON, as they are read from a row. */
function asReadBack(index: number): JsonObject {
  const { title, description } = documentOf(index)
  return { description, title }
}

/** The schema of published deposits whose drafts have the default schema. */
export const recordSchema = defaults.DEPOSIT_DEFAULT_JSONSCHEMA.replace(/^deposits\//, '')

function ofDeposit(deposit: Deposit, pids: readonly PidRow[]): SeededRows {
  const found = toSearchRow(toIndexedDeposit(deposit, samePath))
  const record = deposit.record?.value ?? null
  const version = { ...toVersionRow(deposit), number: record === null ? null : 1, record }
  return { deposit: toDepositRow(deposit), pids, version, found }
}

/** Its manifest counts as written, so that no daemon has to write half a million of them. */
function ofRecord(record: PublishedRecord): NonNullable<SeededRows['record']> {
  const found = toSearchRow(toIndexedRecord(record, samePath))
  return { row: { ...toRecordRow(record), manifested: 1 }, found }
}

/** A time one second later for each. */
export function timeOf(index: number): string {
  return new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()
}
