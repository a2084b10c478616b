import type { Caller } from '../access/caller.ts'
import type { ActionContext, DepositAction } from '../actions/action.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { DepositNotFound, PermissionDenied } from '../errors.ts'
import { jsonSize } from '../json-size.ts'
import { depositPidType, type DepositId } from '../pid/deposit-pid.ts'
import type { PersistentIdentifier } from '../pid/pid.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { authorize, type ExpectedRevision } from './authorize.ts'
import { changeDeposit, type Beside } from './change-deposit.ts'
import { indexDeposit } from './keep-indexed.ts'
import { chargedUser } from './limits.ts'
import { requireMetadataAllowed } from './metadata-quota.ts'
import type { Parts } from './parts.ts'

/** An action by name, on a deposit. */
export interface ActionRequest {
  readonly caller: Caller
  readonly id: DepositId
  readonly name: string
  readonly expected?: ExpectedRevision
  /** What else is stored in the same unit of work. */
  readonly beside?: Beside
}

/**
 * Runs an action: in one unit of work, with the signals the specification names around it.
 *
 * @returns the deposit as it is now, or the new one where the action made one
 * @throws what {@link authorize} throws, and what the action does; then nothing is changed
 * @see Specification, "Deposit action" and "Events"
 */
export async function runAction(parts: Parts, request: ActionRequest): Promise<Deposit> {
  const { name, ...asked } = request
  const { caller } = asked
  const action = parts.actions[name]
  if (!action) throw new DepositNotFound(`There is no action ${name}.`)
  const change = { ...asked, intent: 'act' as const }
  if (action.updatesRecord) await announceUpdate(parts, request, action.updatesRecord)
  const { deposit, answer: pid } = await changeDeposit(parts, change, async (found, unit, now) => {
    const context = { ...contextOf(parts, unit, now), unit, caller, now }
    const saved = await runInUnit(action, found, context)
    if (action.copiesDocument) {
      await requireMetadataAllowed(parts, chargedUser(saved), jsonSize(saved.metadata))
    }
    return { deposit: saved, answer: await findPid(unit, saved) }
  })
  if (action.updatesRecord) await parts.signals.send('afterRecordUpdate', { action: name, deposit })
  await parts.signals.send('postAction', { action: name, pid, deposit })
  return deposit
}

/** Receivers may take their time, so they are told before the unit of work begins, not in it. */
async function announceUpdate(
  parts: Parts,
  { caller, id, name, expected }: ActionRequest,
  status: Deposit['status'],
): Promise<void> {
  const deposit = await authorize(parts, caller, id, 'act', expected)
  if (deposit.status !== status) return
  await parts.signals.send('beforeRecordUpdate', { action: name, deposit })
}

function contextOf(
  parts: Parts,
  unit: UnitOfWork,
  now: string,
): Pick<ActionContext, 'mintRecord' | 'schemas' | 'saveBeside'> {
  const { mintRecord, schemas } = parts
  const saveBeside = async (deposit: Deposit): Promise<void> => {
    const saved = await unit.deposits.save(deposit, now)
    unit.afterCommit(() => indexDeposit(parts, saved))
  }
  return { mintRecord, schemas, saveBeside }
}

/** Saves what the action answers, unless it is another deposit that the action made itself. */
async function runInUnit(
  action: DepositAction,
  deposit: Deposit,
  context: ActionContext,
): Promise<Deposit> {
  const { unit, now } = context
  const result = await action.run(deposit, context)
  if (result.id !== deposit.id) {
    requireUnbound(context.caller)
    return result
  }
  return unit.deposits.save(result, now)
}

/** @throws {PermissionDenied} the token is good for one deposit, and another one came into being */
function requireUnbound(caller: Caller): void {
  if (typeof caller === 'string' || caller.onlyDeposit === undefined) return
  throw new PermissionDenied(
    'The access token is good for this deposit alone; this action makes another one.',
  )
}

async function findPid(unit: UnitOfWork, deposit: Deposit): Promise<PersistentIdentifier> {
  const pid = await unit.pids.find({ type: depositPidType, value: deposit.id })
  if (!pid) throw new DepositNotFound()
  return pid
}
