import {
  depositPidType,
  parseDepositId,
  type Deposit,
  type PersistentIdentifier,
  type PidName,
  type UnitOfWork,
} from '../../../core/index.ts'
import type {
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
} from '../command/operator-command.ts'
import { advice } from '../../advice.ts'
import { OperatorFailure } from '../command/operator-failure.ts'

/** The meaning of each status of an identifier for its readers. */
const meanings = {
  N: 'new: not given out, as if there were none (404)',
  K: 'reserved: it can be read, and edited',
  R: 'registered: it can be read; a record is sealed',
  M: 'moved: leads to another identifier (301)',
  D: 'deleted (410)',
} as const

/** `pid show`: an identifier, one property a line. */
async function showPid({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const pid = await database.read.pids.find(nameOf(options))
  if (!pid) throw unknown(options)
  const { type, value, objectType, objectUuid, status, redirect } = pid
  const data = {
    pid_type: type,
    pid_value: value,
    object_type: objectType,
    object_uuid: objectUuid,
    status,
    provider: 'none',
    ...(redirect && { redirect: `${redirect.type} ${redirect.value}` }),
  }
  return {
    notes: [`The status ${status} is ${meanings[status]}.`],
    results: Object.entries(data).map(([name, text]) => `${name}: ${text}`),
    data,
  }
}

/** `pid redirect`: lets an identifier lead to another of its type from now on. */
async function redirectPid(context: OperatorContext, options: Options): Promise<Outcome> {
  const from = nameOf(options)
  const to = { type: from.type, value: options['target'] ?? '' }
  const hidden = await context.database.write(async (unit) => {
    const pid = await unit.pids.find(from)
    if (!pid) throw unknown(options)
    requireTarget(pid, await unit.pids.find(to))
    const now = context.clock.now()
    await unit.pids.redirect(from, to, now)
    return hide(unit, from, now)
  })
  if (hidden) await context.index.remove(hidden)
  if (from.type === 'recid') await updateRecord(context, from.value)
  return {
    notes: [`${from.type} ${from.value} leads to ${to.value} from now on.`],
    results: [],
    data: { pid_type: from.type, pid_value: from.value, redirect: to.value },
  }
}

/** `undelete`: brings back a deposit that was deleted and kept. */
async function undelete(context: OperatorContext, options: Options): Promise<Outcome> {
  const id = parseDepositId(options['id'] ?? '')
  const deposit = await context.database.write(async (unit) => {
    const hidden = await unit.deposits.findHidden(id)
    const type = hidden?.deposit.pidType ?? depositPidType
    const pid = await unit.pids.find({ type, value: id })
    if (pid?.status !== 'D') throw new OperatorFailure(`${id} is not a deleted deposit.`)
    if (!(await unit.deposits.show(id))) {
      throw new OperatorFailure(`${id} was deleted for good.`, advice.lookIntoBackup())
    }
    await unit.pids.setStatus(pid, 'R')
    return unit.deposits.find(id)
  })
  if (deposit) await context.index.add(deposit)
  return { notes: [`${id} is back.`], results: [id], data: { id } }
}

function nameOf({ type = '', value = '' }: Options) {
  return { type, value }
}

function unknown({ type, value }: Options): OperatorFailure {
  return new OperatorFailure(`There is no identifier ${type} ${value}.`)
}

/** Demands that what the identifier leads to can be read itself: no chains, no circles. */
function requireTarget(from: PersistentIdentifier, to: PersistentIdentifier | undefined): void {
  if (from.status === 'D') throw new OperatorFailure(`${from.value} was deleted.`)
  if (to && to.value !== from.value && (to.status === 'K' || to.status === 'R')) return
  const reason = to?.redirect ? `it leads to ${to.redirect.value} itself` : 'it cannot be read'
  throw new OperatorFailure(`${from.value} cannot lead to ${to?.value ?? 'that'}: ${reason}.`)
}

/** A redirected record is listed and found no more. */
async function updateRecord({ database, index }: OperatorContext, value: string): Promise<void> {
  const record = await database.read.records.find(value)
  if (record) await index.update(record)
}

/** A redirected deposit goes out of sight; its row is kept. */
async function hide(
  { deposits }: UnitOfWork,
  { type, value }: PidName,
  since: string,
): Promise<Deposit | undefined> {
  const deposit = await deposits.find(parseDepositId(value))
  if (deposit?.pidType !== type) return undefined
  await deposits.hide(deposit.id, since)
  return deposit
}

const type = { name: 'type', summary: 'depid or recid, or the pid_type of a further endpoint' }

export const pidCommands: readonly OperatorCommand[] = [
  {
    name: 'pid show',
    onlyReads: true,
    summary: 'print the target of an identifier, and its status',
    arguments: [type, { name: 'value' }],
    kind: 'short',
    run: showPid,
  },
  {
    name: 'pid redirect',
    summary: 'redirect an identifier to another of its type',
    arguments: [
      type,
      { name: 'value', summary: 'the identifier to redirect' },
      { name: 'target', summary: 'its new target' },
    ],
    kind: 'short',
    run: redirectPid,
  },
  {
    name: 'undelete',
    summary: 'restore a deposit that was deleted with force=false',
    arguments: [{ name: 'id' }],
    kind: 'short',
    run: undelete,
  },
]
