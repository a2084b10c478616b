import type { Deposit } from './deposit.ts'
import type { PidName } from '../pid/deposit-pid.ts'
import type { PublishedRecord } from '../record/record.ts'

/**
 * The record a deposit becomes: its document, a dump of the deposit, and its bucket, which is
 * frozen from now on and so is the snapshot of the files.
 *
 * @param schema path of the record's schema
 */
export function snapshot(
  deposit: Deposit,
  pid: PidName,
  schema: string | null,
  now: string,
): PublishedRecord {
  return {
    type: pid.type,
    value: pid.value,
    revision: 0,
    schema,
    metadata: deposit.metadata,
    deposit: dump(deposit),
    bucket: deposit.bucket,
    ...(deposit.predecessor === undefined ? {} : { predecessor: deposit.predecessor }),
    created: now,
    updated: now,
  }
}

/** The revision after `latest`, with the document of `deposit`. */
export function nextRevision(
  latest: PublishedRecord,
  deposit: Deposit,
  schema: string | null,
  now: string,
): PublishedRecord {
  return {
    ...latest,
    revision: latest.revision + 1,
    schema,
    metadata: deposit.metadata,
    deposit: dump(deposit),
    updated: now,
  }
}

function dump({ id, pidType, owners, createdBy, base }: Deposit): PublishedRecord['deposit'] {
  return { id, pidType, owners, createdBy, ...(base === undefined ? {} : { base }) }
}
