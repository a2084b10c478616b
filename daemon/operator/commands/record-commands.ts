import { withdrawalReasons, type WithdrawalReason } from '../../../core/contract/withdrawal.ts'
import {
  bringBack,
  isProblem,
  removeForGood,
  saveChange,
  withdrawRecord,
  type Deposit,
  type WithdrawalContext,
} from '../../../core/index.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import type {
  Done,
  OperatorCommand,
  Options,
  Voice,
  Work,
  WorkContext,
} from '../command/operator-command.ts'

/** `record withdraw`: takes a record out of sight; a tombstone stays. */
const withdraw: Work = async (context, options, voice) => {
  const value = valueIn(options['value'])
  const { reason = '', note, by, destroy } = options
  const asked = {
    reason: toReason(reason),
    ...(note !== undefined && { note }),
    ...(by !== undefined && { replaced_by: by }),
    ...(destroy === 'true' && { destroy_bytes: true }),
  }
  const said = `The record ${value} is withdrawn: its address leads to a tombstone.`
  return change(context, value, voice, said, (deposit, means) =>
    withdrawRecord(deposit, asked, means),
  )
}

/** `record restore`: brings a withdrawn record back. */
const restore: Work = async (context, options, voice) => {
  const value = valueIn(options['value'])
  return change(context, value, voice, `The record ${value} can be read again.`, bringBack)
}

/** The identifier at the end of an address, or of a DOI that is made of it. */
function valueIn(text = ''): string {
  return (
    /^(?:https?:\/\/|doi:|10\.\d)\S*\/([\da-z]{5}-[\da-z]{5})\/?$/i
      .exec(text)?.[1]
      ?.toLowerCase() ?? text
  )
}

async function change(
  { parts, addresses }: WorkContext,
  value: string,
  { tell }: Voice,
  said: string,
  make: (deposit: Deposit, context: WithdrawalContext) => Promise<Deposit>,
): Promise<Done> {
  const { database, clock, blobs, index } = parts
  const report = (error: unknown): void => tell('note', String(error))
  const changed: string[] = []
  const deposit = await database
    .write(async (unit) => {
      const record = await unit.records.find(value)
      const found = record && (await unit.deposits.find(record.deposit.id))
      if (!found) throw new OperatorFailure(`There is no record ${value}.`)
      const now = clock.now()
      const saved = await make(found, {
        unit,
        caller: 'system',
        now,
        withdrawalMs: 0,
        providers: parts.identifiers?.providers ?? [],
        origin: addresses.origin,
        indexRecord: (each) => changed.push(each),
        removeBytes: (gone) =>
          unit.afterCommit(() => removeForGood({ database, blobs, report }, gone)),
      })
      const done = {
        before: found,
        after: saved,
        caller: 'system' as const,
        now,
        action: 'withdraw',
      }
      return (await saveChange(unit, done)).deposit
    })
    .catch((error: unknown) => {
      if (!isProblem(error)) throw error
      const [fault] = error.faults
      throw new OperatorFailure(fault?.message ?? error.message)
    })
  await index?.add(deposit)
  for (const each of index ? changed : []) {
    const record = await database.read.records.find(each)
    if (record) await index?.update(record)
  }
  tell('note', said)
  tell('result', value)
  return { ending: 'done', data: { record: value, deposit: deposit.id } }
}

function toReason(text: string): WithdrawalReason {
  const reason = withdrawalReasons.find((each) => each === text)
  if (reason) return reason
  throw new OperatorFailure(`"${text}" is not a reason: use ${withdrawalReasons.join(', ')}.`)
}

const value = { name: 'value', summary: 'the identifier, the address or the DOI of the record' }

export const recordCommands: readonly OperatorCommand[] = [
  {
    name: 'record withdraw',
    summary:
      'withdraw a published record: its address then says why, in place of its description and files',
    arguments: [value],
    options: [
      {
        flags: '--reason <reason>',
        summary: `why: ${withdrawalReasons.join(', ')}`,
        isRequired: true,
      },
      { flags: '--note <text>', summary: 'what everybody reads on the tombstone' },
      {
        flags: '--replaced-by <identifier>',
        summary: 'a record of this service, a DOI or an address',
      },
      { flags: '--destroy-bytes', summary: 'remove its files for good: it cannot be restored' },
    ],
    toOptions: ({ reason, note, replacedBy, destroyBytes }): Options => ({
      reason: String(reason),
      ...(note !== undefined && { note: String(note) }),
      ...(replacedBy !== undefined && { by: String(replacedBy) }),
      destroy: String(destroyBytes === true),
    }),
    kind: 'long',
    run: withdraw,
  },
  {
    name: 'record restore',
    summary: 'restore a record that was withdrawn, as long as its files are there',
    arguments: [value],
    kind: 'long',
    run: restore,
  },
]
