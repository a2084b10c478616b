import type { Deposit, PublishedDeposit } from '../deposit/deposit.ts'
import { toIndexedDeposit, toIndexedRecord } from '../search/indexed-document.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Parts } from './parts.ts'

/**
 * Brings the index level with a deposit that was changed. A failure never fails the change: it is
 * reported, and the row says that the deposit is not indexed.
 */
export async function indexDeposit(parts: Parts, deposit: Deposit): Promise<void> {
  const indexed = await attempt(parts, () =>
    parts.search.put(toIndexedDeposit(deposit, parts.schemas.toUrl)),
  )
  if (indexed === deposit.indexed) return
  await parts.database.write((unit) => unit.deposits.markIndexed(deposit.id, indexed))
}

/** Takes a deposit out of the index. */
export async function unindexDeposit(parts: Parts, deposit: Deposit): Promise<void> {
  await attempt(parts, () =>
    parts.search.remove({ kind: 'deposit', id: deposit.id, owners: deposit.owners }),
  )
}

/**
 * Brings the index of records level with a new revision, or takes out a record whose identifier
 * leads to another.
 */
export async function indexRecord(parts: Parts, record: PublishedRecord): Promise<void> {
  const document = toIndexedRecord(record, parts.schemas.toUrl)
  await attempt(parts, async () => {
    const listed = await parts.database.read.records.findAll([record.value])
    await (listed.length > 0 ? parts.search.put(document) : parts.search.remove(document))
  })
}

/** Brings the index level with a deposit that was published, and with its record. */
export async function indexPublished(parts: Parts, deposit: PublishedDeposit): Promise<void> {
  const { deposits, records } = parts.database.read
  const published = await deposits.find(deposit.id)
  if (published) await indexDeposit(parts, published)
  let record = await records.find(deposit.record.value)
  while (record) {
    const { revision } = record
    await indexRecord(parts, record)
    // A curator may have corrected the record since: the index ends with the latest.
    const latest = await records.find(deposit.record.value)
    record = latest && latest.revision > revision ? latest : undefined
  }
}

async function attempt(parts: Parts, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    parts.report(error)
    return false
  }
}
