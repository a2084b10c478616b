import type { Caller } from '../access/caller.ts'
import { findersOf } from '../access/rights.ts'
import { requirePermission } from '../deposit/permissions.ts'
import { mayCorrect } from '../access/review-rights.ts'
import {
  madeBy,
  requireNotSubmitted,
  type Deposit,
  type PublishedDeposit,
} from '../deposit/deposit.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { UnitOfWork } from '../ports/database.ts'
import {
  permissionFor,
  requireRevision,
  findDeposit,
  type ExpectedRevision,
  type Intent,
} from './authorize.ts'
import type { Parts } from './parts.ts'
import { toIndexedDeposit, toIndexedRecord } from '../search/indexed-document.ts'
import type { PublishedRecord } from '../record/record.ts'

/** A caller's change of a deposit, with the revision they expect. */
export interface Change<Answer = unknown> {
  readonly caller: Caller
  readonly id: DepositId
  readonly intent: Intent
  readonly expected?: ExpectedRevision
  /** Its name, for a refusal; that of the intent by default. */
  readonly operation?: string
  /** Set for a change of a draft that waits for reviewers. */
  readonly onSubmitted?: true
  /** Set for a change that makes room: it may use the last of a full disk. */
  readonly freesRoom?: true
  /** Set for a change that may run as a local unit: see `UnitOptions.isLocal`. */
  readonly isLocal?: true
  /** Rows stored in the same unit of work. */
  readonly beside?: Beside<Answer>
  /** Of a local change: asks at once for what it will need, once the unit has asked for the deposit. */
  readonly ahead?: (unit: UnitOfWork) => void
}

/** Rows that stand or fall with a change; either part may throw, and then nothing is changed. */
export interface Beside<Answer = unknown> {
  /** Runs once the change is permitted, before it is made. */
  readonly before?: (unit: UnitOfWork) => Promise<void>
  /** Runs when the change is made, with what it answers. */
  readonly after?: (unit: UnitOfWork, changed: Changed<Answer>) => Promise<void>
}

/** The result of a change: the deposit as saved, and details beside it. */
export interface Changed<Answer> {
  readonly deposit: Deposit
  readonly answer: Answer
}

/**
 * Changes a deposit in one unit of work: locks it, asks for permission and revision, runs `work`, and
 * brings the index level once the change is durable.
 *
 * @throws what {@link authorize} throws, and what `work` does; then nothing is changed
 * @throws {DepositError} storage_full
 */
export async function changeDeposit<Answer>(
  parts: Parts,
  change: Change<Answer>,
  work: (deposit: Deposit, unit: UnitOfWork, now: string) => Promise<Changed<Answer>>,
): Promise<Changed<Answer>> {
  const { caller, id, intent, expected, freesRoom, isLocal = false, beside } = change
  if (!freesRoom) await parts.blobs.requireRoomForRows()
  const run = async (unit: UnitOfWork): Promise<Changed<Answer>> => {
    const { deposits, pids } = unit
    // A change that decides upon the deposit alone waits for all others, or they for it.
    const finding = findDeposit({ deposits: { find: deposits.lock }, pids }, id, parts.pidType)
    if (isLocal) change.ahead?.(unit)
    const deposit = await finding
    requirePermission(caller, permissionFor(parts, intent), deposit)
    requireRevision(deposit, expected)
    await beside?.before?.(unit)
    requireChangeable(deposit, change)
    // Changes of files are saved as they are made; see `saveChange` for those of the document.
    const made = intent === 'update' ? madeBy(deposit, caller) : deposit
    const changed = await work(made, unit, parts.clock.now())
    await beside?.after?.(unit, changed)
    unit.afterCommit(() => indexDeposit(parts, changed.deposit, deposit))
    return changed
  }
  return parts.database.write(run, { isLocal })
}

/** Nothing changes under the eyes of reviewers but what they or curators do. */
function requireChangeable(
  deposit: Deposit,
  { caller, intent, operation = intent, onSubmitted }: Omit<Change, 'beside'>,
): void {
  // Who has which right is no part of what is reviewed.
  if (onSubmitted || intent === 'share') return
  if (intent === 'revise' && typeof caller !== 'string' && mayCorrect(caller, deposit)) return
  requireNotSubmitted(deposit, operation === 'revise' ? 'update' : operation)
}

/**
 * Brings the index level with a deposit that was changed. A failure never fails the change: it is
 * reported, and the row says that the deposit is not indexed.
 *
 * @param before the deposit before the change: those who found it then may find it no more
 */
export async function indexDeposit(
  parts: Parts,
  deposit: Deposit,
  before?: Deposit,
): Promise<void> {
  const { search, schemas } = parts
  const found = new Set(findersOf(deposit))
  const gone = before?.id === deposit.id ? findersOf(before).filter((user) => !found.has(user)) : []
  const indexed = await attempt(parts, async () => {
    const { id } = deposit
    const removed = gone.length > 0 && search.remove({ kind: 'deposit', id, owners: gone })
    await Promise.all([removed, search.put(toIndexedDeposit(deposit, schemas.toUrl))])
  })
  if (indexed === deposit.indexed) return
  await parts.database.write((unit) => unit.deposits.markIndexed(deposit.id, indexed))
}

/** Takes a deposit out of the index. */
export async function unindexDeposit(parts: Parts, deposit: Deposit): Promise<void> {
  await attempt(parts, () =>
    parts.search.remove({ kind: 'deposit', id: deposit.id, owners: findersOf(deposit) }),
  )
}

/**
 * Brings the index of records level with a new revision, or takes out a record whose identifier
 * leads to another.
 */
export async function indexRecord(parts: Parts, record: PublishedRecord): Promise<void> {
  if (parts.search.isOfRows) return
  const document = toIndexedRecord(record, parts.schemas.toUrl)
  await attempt(parts, async () => {
    const listed = await parts.database.read.records.findAll([record.value])
    await (listed.length > 0 ? parts.search.put(document) : parts.search.remove(document))
  })
}

/** Brings the index level with a deposit that was published, and its record. */
export async function indexPublished(parts: Parts, deposit: PublishedDeposit): Promise<void> {
  if (parts.search.isOfRows) return
  const { deposits, records } = parts.database.read
  const published = await deposits.find(deposit.id)
  // The change itself has indexed the deposit, unless the row says that it could not.
  const isLevel = published?.indexed === true && published.revision === deposit.revision
  if (published && !isLevel) await indexDeposit(parts, published)
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
