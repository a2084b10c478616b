import type { Caller } from '../access/caller.ts'
import { roleOf as roleOnDeposit } from '../access/rights.ts'
import { isForTheBytes } from '../contract/defaults.ts'
import {
  withdrawalRequest,
  type WithdrawalRequest,
  type WithdrawnBy,
} from '../contract/withdrawal.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { problem, refused } from '../errors/errors.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { PublishedRecord, RecordRef } from '../record/record.ts'
import type { Withdrawal } from '../record/withdrawal.ts'
import type { ActionContext, DepositAction } from './action.ts'
import { digestContents } from './destroyed-files.ts'
import { findLatest } from './published-record.ts'
import { requireReplacement } from './replacement.ts'

/**
 * Takes a record out of sight of everybody but its owners: a tombstone stays. Asked again with
 * `destroy_bytes`, it removes the files of one that was withdrawn before.
 *
 * @see Publication, "Versions, withdrawal"
 */
export const withdraw: DepositAction = {
  summary: 'Withdraw the record: a tombstone stays',
  status: 202,
  takes: withdrawalRequest,
  onWithdrawn: true,
  onSubmitted: true,
  freesRoom: true,
  isForCurators: true,

  run: (deposit, context) => withdrawRecord(deposit, context.input as WithdrawalRequest, context),
}

/** Brings a withdrawn record back, as long as its files are there. */
export const restoreRecord: DepositAction = {
  summary: 'Restore a record that was withdrawn',
  onWithdrawn: true,
  onSubmitted: true,
  isForCurators: true,

  run: bringBack,
}

/** The means of a withdrawal. */
export type WithdrawalContext = Pick<
  ActionContext,
  | 'unit'
  | 'caller'
  | 'now'
  | 'providers'
  | 'origin'
  | 'withdrawalMs'
  | 'indexRecord'
  | 'removeBytes'
>

/**
 * Answers the deposit as it is to be saved.
 *
 * @throws {DepositError} invalid_action, permission_denied, malformed_request
 */
export async function withdrawRecord(
  deposit: Deposit,
  asked: WithdrawalRequest,
  context: WithdrawalContext,
): Promise<Deposit> {
  const { unit, now } = context
  const { record: ref, withdrawal: before } = deposit
  if (!ref) throw refused('withdraw', 'never_published')
  const destroys = asked.destroy_bytes === true
  if (before && (before.bytesDestroyed || !destroys)) throw refused('withdraw', 'withdrawn_already')
  const record = await findLatest(unit, ref)
  requireNoEditor(deposit, context)
  const who = requireWithdrawable(record, context)
  const { reason, note, replaced_by: named } = asked
  const replacedBy =
    named === undefined ? undefined : await requireReplacement(named, record, context)
  const pidStatus = before?.pidStatus ?? (await unit.pids.find(ref))?.status ?? 'K'
  await changeListing(record, context, () => unit.pids.setStatus(ref, 'D', now))
  const isForThem = destroys && isForTheBytes(reason)
  const contents = isForThem && digestContents(await unit.files.list(record.bucket, 'published'))
  const keptBy = destroys ? await destroyFiles(record, context) : []
  const withdrawal: Withdrawal = {
    at: before?.at ?? now,
    ...who,
    reason,
    ...(note !== undefined && { note }),
    ...(replacedBy !== undefined && { replacedBy }),
    bytesDestroyed: destroys,
    ...(contents && { contents }),
    ...(keptBy.length > 0 && { keptBy }),
    pidStatus,
  }
  return { ...deposit, withdrawal }
}

/** As {@link withdrawRecord}. @throws {DepositError} invalid_action, permission_denied */
export async function bringBack(deposit: Deposit, context: WithdrawalContext): Promise<Deposit> {
  const { unit, now } = context
  const { record: ref, withdrawal, ...rest } = deposit
  if (!ref || !withdrawal) throw refused('restore-record', 'not_withdrawn')
  if (withdrawal.bytesDestroyed) throw refused('restore-record', 'withdrawn_for_good')
  requireNoEditor(deposit, context)
  requireRestorable(ref, withdrawal, context)
  const record = await findLatest(unit, ref)
  await changeListing(record, context, () => unit.pids.setStatus(ref, withdrawal.pidStatus, now))
  return { ...rest, record: ref }
}

/** @throws {DepositError} permission_denied: an editor asks */
function requireNoEditor(deposit: Deposit, { caller }: WithdrawalContext): void {
  if (roleOnDeposit(caller, deposit) !== 'editor') return
  throw problem('permission_denied', { message: 'Its owners withdraw and restore a record.' })
}

/** @throws {DepositError} permission_denied: it is too late for an owner */
function requireWithdrawable(
  { value, created }: PublishedRecord,
  { caller, now, withdrawalMs }: WithdrawalContext,
): Pick<Withdrawal, 'by' | 'user'> {
  const by = roleOf(caller)
  if (by === 'owner' && Date.parse(now) - Date.parse(created) > withdrawalMs)
    throw tooLate(withdrawalMs, 'withdraw a record', 'it was published', `withdraw ${value}`)
  return typeof caller === 'string' ? { by } : { by, user: caller.user }
}

/** @throws {DepositError} permission_denied: somebody else withdrew it, or it is too late */
function requireRestorable(
  { value }: RecordRef,
  { at, by }: Withdrawal,
  { caller, now, withdrawalMs }: WithdrawalContext,
): void {
  if (roleOf(caller) !== 'owner') return
  const command = `restore ${value}`
  if (by !== 'owner') {
    const message = `The record was withdrawn by ${others[by]}, so its owner cannot restore it. A curator or an administrator can, or the operator of this service: depositd record ${command}`
    throw problem('permission_denied', { message })
  }
  if (Date.parse(now) - Date.parse(at) > withdrawalMs)
    throw tooLate(withdrawalMs, 'restore a record', 'withdrawing it', command)
}

const others = {
  administrator: 'an administrator',
  curator: 'a curator',
  operator: 'the operator of this service',
}

function tooLate(withdrawalMs: number, what: string, since: string, command: string) {
  const days = withdrawalMs / 86_400_000
  const others = `A curator or an administrator can, or the operator of this service: depositd record ${command}`
  if (days === 0) {
    const verb = what.split(' ')[0] ?? what
    const message = `Owners cannot ${verb} records here. ${others}`
    return problem('permission_denied', { message })
  }
  return problem('permission_denied', {
    message: `Its owner can ${what} within ${days} ${days === 1 ? 'day' : 'days'} after ${since}. Later a curator or an administrator can, or the operator of this service: depositd record ${command}`,
  })
}

function roleOf(caller: Caller): WithdrawnBy {
  if (typeof caller === 'string') return 'operator'
  if (caller.admin) return 'administrator'
  return caller.roles.has('curator') ? 'curator' : 'owner'
}

/** Lists what is the newest version now, and tells providers what changed with it. */
async function changeListing(
  record: PublishedRecord,
  { unit, now, indexRecord }: WithdrawalContext,
  change: () => Promise<void>,
): Promise<void> {
  const { value, concept } = record
  const newest = await unit.records.findNewest(concept)
  await change()
  const before = [value, ...(newest && newest.value !== value ? [newest.value] : [])]
  const shown = await unit.records.showNewest(concept, before)
  // Its metadata name the version after it, which is another one now.
  const previous = await unit.records.findPrevious(record)
  const neighbours = previous === undefined ? [] : [previous]
  await unit.records.touch(neighbours, now)
  const changed = new Set([value, ...shown, ...neighbours])
  for (const each of changed) indexRecord(each)
  const known = await unit.identifiers.ofSubjects([...changed])
  const told = [...known.values()].flat().filter(({ status }) => status !== 'reserved')
  await unit.identifiers.want(
    told.map((each) => each.value),
    now,
  )
}

/** Those that are named of the deposits with the same bytes. */
const mostKeepers = 100

/** @returns other deposits, with files of the same bytes: theirs stay */
async function destroyFiles(
  { value, bucket }: PublishedRecord & Pick<RecordRef, 'value'>,
  { unit, removeBytes }: WithdrawalContext,
): Promise<readonly DepositId[]> {
  const keepers = await unit.files.sharing(bucket, mostKeepers)
  // Of other deposits too: what was thrown away must not bring these bytes back.
  const trashed = await unit.trash.removeSharing(bucket)
  const blobs = [...trashed, ...(await unit.files.removeAll(bucket))]
  // As old as can be: the next sweep removes those that are still there after a crash.
  for (const blob of blobs) await unit.intents.renew(blob, new Date(0).toISOString())
  removeBytes(blobs)
  // The manifests of all revisions name the files.
  await unit.upkeep.dropManifested(value)
  return keepers
}
