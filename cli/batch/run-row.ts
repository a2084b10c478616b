import { createHash } from 'node:crypto'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { ApiFailure } from '../client/api-failure.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { statusOf } from '../output/deposit-facts.ts'
import type { Streams } from '../output/streams.ts'
import { findMissing, sendFiles } from '../transfer/send-files.ts'
import type { Entry, Journal } from './journal.ts'
import type { PreparedRow } from './prepare-rows.ts'

export interface BatchOptions {
  readonly client: DepositClient
  readonly streams: Streams
  readonly journal: Journal
  /** Publishes each deposit when all of it has arrived. */
  readonly publish: boolean
}

/** Of one row; several rows are worked on at once. */
const filesAtOnce = 4

/**
 * Makes the deposit of a row, or goes on with the one that was begun. Whatever it is interrupted
 * at, doing it again does nothing twice.
 */
export async function runRow(
  { client, streams, journal, publish }: BatchOptions,
  { row, metadata, plan }: PreparedRow,
): Promise<DepositBody> {
  const begun = await journal.begin(row.identity)
  const deposit = await findOrCreate(client, begun, metadata)
  const { id } = deposit
  const made = { ...begun, id, content: digestOf(metadata) }
  if (begun.content !== made.content) {
    // A draft that was made before is brought level with its row.
    if (begun.id !== undefined) await client.replace(id, metadata, deposit.revision)
    await journal.note(made)
  }
  if (statusOf(deposit) === 'draft') {
    if (begun.done === undefined) await sendAll(client, streams, deposit, plan.files)
    if (publish) await publishOnce(client, id)
  }
  await journal.note({ ...made, done: publish ? 'published' : 'draft' })
  return client.read(id)
}

/** A command that was interrupted may have asked just before us, and be answered only now. */
async function publishOnce(client: DepositClient, id: string): Promise<void> {
  try {
    await client.runAction(id, 'publish')
  } catch (error) {
    const isRefused = error instanceof ApiFailure && error.problem.code === 'invalid_action'
    if (!isRefused || statusOf(await client.read(id)) !== 'published') throw error
  }
}

function findOrCreate(
  client: DepositClient,
  { id, key }: Entry,
  metadata: Metadata,
): Promise<DepositBody> {
  return id === undefined ? client.create(metadata, key) : client.read(id)
}

async function sendAll(
  client: DepositClient,
  streams: Streams,
  deposit: DepositBody,
  files: readonly LocalFile[],
): Promise<void> {
  if (files.length === 0) return
  const present = await client.listFiles(deposit.id)
  const to = { client, streams, deposit, present, replace: false, jobs: filesAtOnce, quiet: true }
  await sendFiles(to, files, await findMissing(to, files))
}

function digestOf(metadata: Metadata): string {
  return createHash('sha256').update(JSON.stringify(metadata)).digest('hex')
}

/** True when nothing is left to do for a row. */
export function isDone(entry: Entry | undefined, publish: boolean): boolean {
  return entry?.done === 'published' || (entry?.done === 'draft' && !publish)
}
