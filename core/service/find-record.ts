import { problem, type DepositError } from '../errors/errors.ts'
import type { PersistentIdentifier } from '../pid/deposit-pid.ts'
import { recordPidType } from '../pid/record-minters.ts'
import type { DepositReader } from '../ports/deposits.ts'
import type { PidReader } from '../ports/pids.ts'
import type { RecordReader } from '../ports/records.ts'
import type { PublishedRecord } from '../record/record.ts'

/** The rows that tell of records and of what became of them. */
export interface RecordRows {
  readonly deposits: Pick<DepositReader, 'find'>
  readonly records: RecordReader
  readonly pids: PidReader
}

/** @throws {DepositError} record_not_found, moved, record_withdrawn, deposit_deleted, newest_version */
export async function findRecord(
  { deposits, records, pids }: RecordRows,
  value: string,
): Promise<PublishedRecord> {
  const pid = await pids.find({ type: recordPidType, value })
  if (pid?.objectType === 'concept') throw await ofConcept(records, pid)
  if (pid?.status === 'N') throw problem('record_not_found')
  if (pid?.redirect) throw problem('moved', pid.redirect)
  const record = await records.find(value)
  if (pid?.status === 'D') throw await whyGone(deposits, record)
  if (!record) throw problem('record_not_found')
  return record
}

/** What tells of a record that is there no more. */
async function whyGone(
  deposits: Pick<DepositReader, 'find'>,
  record: PublishedRecord | undefined,
): Promise<DepositError> {
  const withdrawal = record && (await deposits.find(record.deposit.id))?.withdrawal
  if (!withdrawal) return problem('deposit_deleted')
  return problem('record_withdrawn', { value: record.value, withdrawal })
}

async function ofConcept(
  records: RecordReader,
  { value, redirect }: PersistentIdentifier,
): Promise<DepositError> {
  if (redirect) return problem('moved', redirect)
  const newest = await records.findNewest(value)
  if (!newest) return problem('record_not_found')
  return problem('newest_version', { value: newest.value })
}
