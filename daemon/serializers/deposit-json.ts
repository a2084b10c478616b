import type { DepositBody, RecordBody } from '../../core/contract/schemas.ts'
import {
  toDepositDocument,
  toRecordDocument,
  type Deposit,
  type FileTotals,
  type PublishedRecord,
} from '../../core/index.ts'
import type { Links } from './links.ts'

/**
 * A deposit in the generic JSON of records.
 *
 * @param isSealed whether its record can no longer be edited, where that was looked up
 */
export function toDepositBody(
  deposit: Deposit,
  links: Links,
  files?: FileTotals,
  isSealed = false,
): DepositBody {
  return {
    id: deposit.id,
    metadata: toDepositDocument(deposit, links.schema),
    links: links.deposit(deposit),
    revision: deposit.revision,
    created: deposit.created,
    updated: deposit.updated,
    ...(files && { files: { count: files.count, size: files.size } }),
    ...(isSealed && { sealed: true }),
  }
}

/** A record, or one of its revisions, in the same JSON. */
export function toRecordBody(
  record: PublishedRecord,
  links: Links,
  successor?: PublishedRecord,
): RecordBody {
  return {
    id: record.value,
    metadata: toRecordDocument(record, links.schema),
    links: links.record(record, successor?.value),
    revision: record.revision,
    created: record.created,
    updated: record.updated,
  }
}
