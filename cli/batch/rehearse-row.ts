import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { Failure } from '../failure.ts'
import { statusOf } from '../output/deposit-facts.ts'
import { findOthers } from '../transfer/send-files.ts'
import type { Entry } from './journal.ts'
import type { PreparedRow } from './prepare-rows.ts'
import { sayFailure } from './run-batch.ts'
import {
  beingEdited,
  filesFrozen,
  hasOtherFiles,
  isChanged,
  isDone,
  isFormer,
  requireAccessSaid,
  requireAllKept,
  requireNoFurther,
  requireNotWithdrawn,
} from './run-row.ts'

interface RehearseOptions {
  /** Called for a row that has a deposit already. */
  readonly client: () => Promise<DepositClient>
  readonly publish: boolean
  readonly update: boolean
  readonly deletes: boolean
}

/** The outcome of a row in a dry run. */
export interface Rehearsed {
  readonly would:
    | 'make'
    | 'finish'
    | 'publish'
    | 'update'
    | 'make a new version'
    | 'keep'
    | 'leave changed'
    | 'fail'
  /** The existing deposit of the row. */
  readonly id: string | null
  /** A remark, or the reason why it would fail. */
  readonly message: string | null
}

/** Checks what a batch would do with a row, and whether it would be refused. Changes nothing. */
export async function rehearseRow(
  options: RehearseOptions,
  prepared: PreparedRow,
  entry: Entry | undefined,
): Promise<Rehearsed> {
  const { id, done } = entry ?? {}
  if (entry === undefined || id === undefined) return { would: 'make', id: null, message: null }
  const made = { ...entry, id }
  try {
    if (isFormer(entry, prepared)) return await rehearseReturn(options, prepared, made)
    if (!isDone(entry, options.publish)) {
      await requireFinishable(options, prepared, made)
      const message = 'its draft exists already'
      return { would: done === undefined ? 'finish' : 'publish', id, message }
    }
    if (!isChanged(entry, prepared)) return { would: 'keep', id, message: null }
    return options.update
      ? await rehearseUpdate(options, prepared, made)
      : { would: 'leave changed', id, message: `the row was changed since; ${advice.updateRow()}` }
  } catch (error) {
    return { would: 'fail', id, message: sayFailure(error) }
  }
}

type Made = Entry & { readonly id: string }

async function rehearseReturn(
  { client, deletes }: RehearseOptions,
  { plan }: PreparedRow,
  { id }: Made,
): Promise<Rehearsed> {
  if (!deletes) requireNoFurther(id, await (await client()).listFiles(id), plan.files)
  return { would: 'keep', id, message: 'the draft of a next version would be deleted' }
}

/** @throws {Failure} as running the row would */
async function requireFinishable(
  { client: connect, deletes }: RehearseOptions,
  prepared: PreparedRow,
  entry: Made,
): Promise<void> {
  const { files } = prepared.plan
  const client = await connect()
  const isSent = entry.done !== undefined && !hasOtherFiles(entry, prepared)
  const deposit = await client.read(entry.id)
  await requireNotWithdrawn(client, deposit, entry)
  const isDraft = statusOf(deposit) === 'draft'
  const present = await client.listFiles(entry.id)
  if (isDraft && !isSent && !deletes) requireNoFurther(entry.id, present, files)
  if (isDraft || !hasOtherFiles(entry, prepared)) return
  if ((await findOthers(present, files)).length > 0) throw filesFrozen(entry.id)
}

async function rehearseUpdate(
  { client: connect, deletes, publish }: RehearseOptions,
  prepared: PreparedRow,
  entry: Made,
): Promise<Rehearsed> {
  const { id, done, updating } = entry
  const client = await connect()
  const deposit = await client.read(id)
  await requireNotWithdrawn(client, deposit, entry)
  if (done === 'published' || updating === true || publish)
    await requireAccessSaid(client, deposit, prepared)
  const isDraft = statusOf(deposit) === 'draft'
  if (!hasOtherFiles(entry, prepared)) {
    if (done === 'published' && isDraft && updating === undefined) throw beingEdited(id)
    return { would: 'update', id, message: null }
  }
  const present = await client.listFiles(id)
  if (done !== 'published') {
    if (!deletes) requireNoFurther(id, present, prepared.plan.files)
    return { would: 'update', id, message: null }
  }
  if (!deletes) requireAllKept(id, present, prepared.plan.files)
  const message = 'its files changed: the record of the next version has a new address'
  return { would: 'make a new version', id, message }
}

/** The row fails where the server does not have its `$schema`. */
export async function askSchema(
  client: DepositClient | undefined,
  { metadata }: PreparedRow,
  rehearsed: Rehearsed,
): Promise<Rehearsed> {
  if (rehearsed.would !== 'make') return rehearsed
  try {
    await client?.permissions.requireSchemaForNew(metadata['$schema'])
    return rehearsed
  } catch (error) {
    if (!(error instanceof Failure) || error.problem?.code !== 'unknown_schema') throw error
    const message = `could not ${error.tried}: ${error.said}; next: ${error.next}`
    return { ...rehearsed, would: 'fail', message }
  }
}
