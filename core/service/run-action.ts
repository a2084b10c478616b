import type { Caller } from '../access/caller.ts'
import { giveWay, Turns } from '../base/turns.ts'
import { documentSize } from '../json/canonical.ts'
import type { ActionContext, DepositAction } from '../actions/action.ts'
import { MergeOutdated, type LatestMerge, type MergeInUnit } from '../actions/published-record.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { isProblem, problem, refused } from '../errors/errors.ts'
import type { DepositId, PersistentIdentifier } from '../pid/deposit-pid.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { passesCheck } from '../deposit/permissions.ts'
import { authorize, permissionFor, type ExpectedRevision, type Intent } from './authorize.ts'
import {
  changeDeposit,
  indexDeposit,
  indexRecord,
  type Beside,
  type Changed,
} from './change-deposit.ts'
import { removeForGood } from './collect-garbage.ts'
import { makeRoomForHistory, saveChange } from './history.ts'
import {
  chargedUser,
  growth,
  requireLeft,
  requireMetadataAllowed,
  roomForMetadata,
} from './limits.ts'
import { costlyTurns, turnName } from './turns-of-users.ts'
import type { Parts } from './parts.ts'

/** An action by name, on a deposit. */
export interface ActionRequest {
  readonly caller: Caller
  readonly id: DepositId
  readonly name: string
  readonly expected?: ExpectedRevision
  /** Body of the request, where the action takes one. */
  readonly input?: unknown
  /** Further rows, stored in the same unit of work. */
  readonly beside?: Beside
  /** The deposit as it was before, where the same request has read it. */
  readonly found?: Deposit | undefined
}

/**
 * Runs an action: in one unit of work, with the signals the specification names around it.
 *
 * @returns the deposit as it is now, or the new one where the action made one
 * @throws what {@link authorize} throws, and what the action does; then nothing is changed
 * @see Specification, "Deposit action" and "Events"
 */
export async function runAction(parts: Parts, request: ActionRequest): Promise<Deposit> {
  const { name } = request
  const action = parts.actions[name]
  if (!action) throw problem('deposit_not_found', { message: `There is no action ${name}.` })
  if (action.updatesRecord) await announceUpdate(parts, request, action.updatesRecord)
  if (action.closesEdit) await announceUpdate(parts, { ...request, name: 'discard' }, 'draft')
  const { deposit, answer: pid } = await changeByAction(parts, request, action)
  if (action.updatesRecord) await parts.signals.send('afterRecordUpdate', { action: name, deposit })
  await parts.signals.send('postAction', { action: name, pid, deposit })
  return deposit
}

/** The permission that an action takes. */
export function intentOf({ needs, updates, isForCurators }: DepositAction): Intent {
  if (needs) return needs
  if (isForCurators) return 'curate'
  return updates ? 'update' : 'act'
}

/** Ends the unit of work of a rehearsal. */
class Rehearsed extends Error {
  readonly deposit: Deposit

  constructor(deposit: Deposit) {
    super('a rehearsal ends here')
    this.deposit = deposit
  }
}

/**
 * What an action would make of a deposit: it is run in a unit of work that is taken back. Nobody is
 * told of it, and nothing is changed.
 *
 * @throws as {@link runAction}
 */
export async function rehearseAction(
  parts: Parts,
  request: Omit<ActionRequest, 'beside'>,
): Promise<Deposit> {
  const action = parts.actions[request.name]
  if (!action) throw problem('deposit_not_found')
  const after = (_: UnitOfWork, { deposit }: Changed<unknown>): Promise<void> =>
    Promise.reject(new Rehearsed(deposit))
  try {
    return (await changeByAction(parts, { ...request, beside: { after } }, action)).deposit
  } catch (error) {
    if (error instanceof Rehearsed) return error.deposit
    throw error
  }
}

/** Attempts to prepare a merge while other requests change its deposit. */
const mostPrepared = 3

/** No other request is answered while one of them runs. */
const longActions = new Turns({ all: 1, each: 1 })

/** The turn of the caller, then that of all: however many one user sends, others wait for two. */
async function takeLongTurn(caller: Caller): Promise<Disposable> {
  using turns = new DisposableStack()
  turns.use(await costlyTurns.take(turnName(caller)))
  turns.use(await longActions.take(''))
  return turns.move()
}

async function changeByAction(
  parts: Parts,
  request: ActionRequest,
  action: DepositAction,
): Promise<Changed<PersistentIdentifier>> {
  const isLong = await action.isLong?.(parts.database.read.history, request)
  using _ = isLong ? await takeLongTurn(request.caller) : undefined
  if (isLong) await giveWay()
  for (let tries = 1; ; tries += 1) {
    const prepared = await prepare(parts, request, action)
    try {
      return await changeInUnit(parts, request, action, { prepared, mayTake: tries > mostPrepared })
    } catch (error) {
      if (!(error instanceof MergeOutdated)) throw error
    }
  }
}

/** Undefined if the action is refused: the unit of work reports that, after its earlier checks. */
async function prepare(
  parts: Parts,
  { caller, id, expected }: ActionRequest,
  action: DepositAction,
): Promise<LatestMerge | undefined> {
  if (!action.prepare) return undefined
  try {
    const deposit = await authorize(parts, caller, id, intentOf(action), expected)
    return await action.prepare(parts.database.read.records, deposit)
  } catch (error) {
    if (isProblem(error)) return undefined
    throw error
  }
}

function changeInUnit(
  parts: Parts,
  { name, input, ...asked }: ActionRequest,
  action: DepositAction,
  merge: MergeInUnit,
): Promise<Changed<PersistentIdentifier>> {
  const { caller } = asked
  const { freesRoom, onSubmitted, isLocal } = action
  const change = {
    ...asked,
    intent: intentOf(action),
    operation: name,
    ...(freesRoom && { freesRoom }),
    ...(onSubmitted && { onSubmitted }),
    ...(isLocal && { isLocal }),
  }
  return changeDeposit(parts, change, async (found, unit, now) => {
    const { withdrawal } = found
    if (withdrawal && !action.onWithdrawn)
      throw refused(name, withdrawal.bytesDestroyed ? 'withdrawn_for_good' : 'withdrawn')
    if (action.countsMessage)
      await requireMessageAllowed(parts, unit, { caller, id: found.id }, input)
    const isRevisionExpected = asked.expected !== undefined
    const run = { name, action, found, unit, caller, now }
    let ofRows = 0
    const copiesRows = (bytes: number): void => {
      ofRows += bytes
    }
    const user = chargedUser(found)
    const room =
      action.copiesDocument && (await roomForMetadata(parts, unit, caller, user, found.id))
    const saved = await runInUnit(parts, run, { merge, input, isRevisionExpected, copiesRows })
    const bytes = documentSize(saved.metadata) + ofRows
    if (room) await requireLeft(parts, unit, { ...room, user }, bytes)
    return { deposit: saved, answer: await findPid(unit, saved) }
  })
}

/** @throws {DepositError} quota_exceeded */
async function requireMessageAllowed(
  parts: Parts,
  unit: UnitOfWork,
  { caller, id }: Pick<ActionRequest, 'caller' | 'id'>,
  input: unknown,
): Promise<void> {
  const { message = '' } = (input ?? {}) as { readonly message?: string }
  if (typeof caller === 'string') return
  await requireMetadataAllowed(parts, unit, caller, caller.user, Buffer.byteLength(message), id)
}

/** Receivers may take their time, so they are told before the unit of work begins, not in it. */
async function announceUpdate(
  parts: Parts,
  { caller, id, name, expected }: ActionRequest,
  status: Deposit['status'],
): Promise<void> {
  const deposit = await authorize(parts, caller, id, 'act', expected)
  if (deposit.status !== status || !deposit.record) return
  await parts.signals.send('beforeRecordUpdate', { action: name, deposit })
}

/** The deposit that an action is run on, by whom and when. */
interface Run extends Pick<ActionContext, 'unit' | 'caller' | 'now'> {
  readonly name: string
  readonly action: DepositAction
  readonly found: Deposit
}

function contextOf(
  parts: Parts,
  { unit, caller, now, found }: Run,
): Omit<
  ActionContext,
  'unit' | 'caller' | 'now' | 'merge' | 'input' | 'bringsBack' | 'copiesRows' | 'isRevisionExpected'
> {
  const { mintRecord, providers, origin, schemas, settings } = parts
  const saveClosed = async (deposit: Deposit): Promise<void> => {
    const change = { before: found, after: deposit, caller, now, action: 'discard' }
    const { deposit: saved } = await saveChange(unit, change)
    const told = { action: 'discard', deposit: saved }
    const pid = await findPid(unit, saved)
    unit.afterCommit(() => indexDeposit(parts, saved))
    unit.afterCommit(() => parts.signals.send('afterRecordUpdate', told))
    unit.afterCommit(() => parts.signals.send('postAction', { ...told, pid }))
  }
  return {
    mintRecord,
    providers,
    origin,
    schemas,
    saveClosed,
    withdrawalMs: settings.withdrawalMs,
    review: settings.review,
    mayActOn: (deposit) => passesCheck(caller, permissionFor(parts, 'act'), deposit),
    indexRecord: (value) => {
      unit.afterCommit(async () => {
        const record = await parts.database.read.records.find(value)
        if (record) await indexRecord(parts, record)
      })
    },
    removeBytes: (blobs) => {
      unit.afterCommit(() => removeForGood(parts, blobs))
    },
  }
}

/** Saves what the action answers, unless it is another deposit that the action made itself. */
async function runInUnit(
  parts: Parts,
  run: Run,
  given: Pick<ActionContext, 'merge' | 'input' | 'copiesRows' | 'isRevisionExpected'>,
): Promise<Deposit> {
  const { unit, caller, now, action, found } = run
  let to: number | undefined
  const bringsBack = (revision: number): void => {
    to = revision
  }
  const context = { ...contextOf(parts, run), ...given, unit, caller, now, bringsBack }
  const after = await action.run(found, context)
  if (after.id !== found.id) {
    requireUnbound(caller)
    return after
  }
  const more = action.updates ? growth(found, after.metadata) : 0
  const user = chargedUser(found)
  const left = await requireMetadataAllowed(parts, unit, caller, user, more, found.id)
  const change = { before: found, after, caller, now, action: run.name }
  const { deposit, kept } = await saveChange(unit, to === undefined ? change : { ...change, to })
  await makeRoomForHistory(parts, unit, change, { kept, left })
  return deposit
}

/** @throws {DepositError} permission_denied: the token is good for one deposit, and another one came into being */
function requireUnbound(caller: Caller): void {
  if (typeof caller === 'string' || caller.onlyDeposit === undefined) return
  throw problem('permission_denied', {
    message: 'The access token is good for this deposit alone; this action makes another one.',
  })
}

async function findPid(unit: UnitOfWork, deposit: Deposit): Promise<PersistentIdentifier> {
  const pid = await unit.pids.find({ type: deposit.pidType, value: deposit.id })
  if (!pid) throw problem('deposit_not_found')
  return pid
}
