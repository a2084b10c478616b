import type { DepositBody, RecordBody } from '../../../core/contract/schemas.ts'
import {
  reservedOfDeposit,
  reservedOfRecord,
  textOfLong,
  toDepositDocument,
  toRecordDocument,
  type Deposit,
  type FileTotals,
  type JsonObject,
  type PublishedRecord,
} from '../../../core/index.ts'
import type { Links } from '../../config/links.ts'
import { LongItem } from './list.ts'

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
  return bodyOfDeposit(deposit, toDepositDocument(deposit, links.schema), links, files, isSealed)
}

/** A deposit in a list. */
export function toDepositItem(
  deposit: Deposit,
  links: Links,
  files: FileTotals,
): DepositBody | LongItem {
  const text = textOfLong(deposit)
  if (text === undefined) return toDepositBody(deposit, links, files)
  const reserved = reservedOfDeposit(deposit, links.schema)
  return new LongItem(bodyOfDeposit(deposit, reserved, links, files), text)
}

function bodyOfDeposit(
  deposit: Deposit,
  metadata: JsonObject,
  links: Links,
  files?: FileTotals,
  isSealed = false,
): DepositBody {
  return {
    id: deposit.id,
    metadata,
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
  return bodyOfRecord(record, toRecordDocument(record, links.schema), links, successor)
}

/** A record in a list. */
export function toRecordItem(record: PublishedRecord, links: Links): RecordBody | LongItem {
  const text = textOfLong(record)
  if (text === undefined) return toRecordBody(record, links)
  return new LongItem(bodyOfRecord(record, reservedOfRecord(record, links.schema), links), text)
}

function bodyOfRecord(
  record: PublishedRecord,
  metadata: JsonObject,
  links: Links,
  successor?: PublishedRecord,
): RecordBody {
  return {
    id: record.value,
    metadata,
    links: links.record(record, successor?.value),
    revision: record.revision,
    created: record.created,
    updated: record.updated,
  }
}
