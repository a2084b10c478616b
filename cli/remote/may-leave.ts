import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import { isOfRecord } from '../client/address.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { findFolderDeposit } from '../folder/folder-deposit.ts'
import { readMemory } from '../folder/memory.ts'
import { sayWithdrawn } from '../folder/withdrawn-version.ts'
import { ownMetadata, recordUrl, statusOf } from '../output/deposit-facts.ts'
import type { CliContext } from '../session/context.ts'
import type { ConnectOptions } from '../session/open-client.ts'

interface Asked {
  /** As the user named it. */
  readonly shown: string
  readonly publish: boolean
}

/**
 * @throws {Failure} what was withdrawn here, comes after it, or waits for a review, would be published
 *   elsewhere
 */
export async function requireMayLeave(
  client: DepositClient,
  deposit: DepositBody,
  { shown, publish }: Asked,
): Promise<void> {
  const { id, withdrawn } = deposit
  const tried = `push ${shown}`
  if (withdrawn) {
    const said = `its record was withdrawn on ${withdrawn.at.slice(0, 10)}, and is not sent elsewhere`
    const next = withdrawn.bytes_destroyed
      ? advice.followWithdrawn(id)
      : advice.restoreRecord(id, id)
    throw new Failure({ tried, said, next }, { exitCode: exitCodes.refused })
  }
  if (!publish || statusOf(deposit) !== 'draft') return
  const isWaiting = deposit.review?.state === 'submitted'
  const rehearsal = isWaiting ? undefined : await client.rehearse(id)
  if (rehearsal && rehearsal.needs_review !== true) {
    requireNoneWithdrawn(deposit, rehearsal, tried)
    return
  }
  const said = isWaiting
    ? 'it waits for review, and is not published elsewhere before it is accepted'
    : 'this service publishes what was reviewed, and it was not: it is not published elsewhere either'
  const next = isWaiting ? advice.awaitReview(id) : advice.submitFirst(id)
  throw new Failure({ tried, said, next }, { exitCode: exitCodes.refused })
}

/** @throws {Failure} the version before a draft of the next one was withdrawn */
function requireNoneWithdrawn(
  deposit: DepositBody,
  { withdrawn_version: before }: RehearsalBody,
  tried: string,
): void {
  if (before === undefined || recordUrl(deposit) !== undefined) return
  const said = `${sayWithdrawn(before)}, and this is the next version of it`
  const next = advice.publishHereFirst(deposit.id)
  throw new Failure({ tried, said, next }, { exitCode: exitCodes.refused })
}

/**
 * The same of a folder that knows its deposit, and is sent as it is: a pipeline may not reach the
 * service that has it.
 *
 * @returns a note, where it could not be asked for
 */
export async function requireFolderMayLeave(
  context: CliContext,
  dir: string,
  { publish, ...options }: Pick<Asked, 'publish'> & ConnectOptions,
): Promise<readonly string[]> {
  const memory = await readMemory(context, dir)
  if (memory?.deposit === undefined) return []
  const { config } = context
  const isReached =
    config.server() !== undefined ||
    (memory.deposit.server === 'local' && (await isThere(await config.home())))
  if (!isReached) return []
  const found = await context
    .client(options)
    .then(async (client) => {
      const deposit = await findFolderDeposit(context, client, dir, { quiet: true })
      return { client, deposit }
    })
    .catch((error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    })
  if (found instanceof Failure)
    return [`Note: could not ask whether ${memory.deposit.id} was withdrawn here: ${found.said}`]
  await requireMayLeave(found.client, found.deposit, { shown: dir, publish })
  return []
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/**
 * What is sent of a deposit: the record as it was published, where that was named or an edit of it
 * changed nothing; else the draft, with a note where it is an edit.
 *
 * @param given as the user named it; undefined of a folder
 * @param commandOf the command line with another name
 * @throws {Failure} an edit that is not published here would be published there
 */
export async function asNamed(
  client: DepositClient,
  deposit: DepositBody,
  given: string | undefined,
  { shown, publish, commandOf }: Asked & { readonly commandOf: (name: string) => string },
): Promise<{ readonly deposit: DepositBody; readonly remarks: readonly string[] }> {
  const path = deposit.links['record']
  if (statusOf(deposit) !== 'draft' || path === undefined || deposit.withdrawn)
    return { deposit, remarks: [] }
  const { metadata, revision, updated } = await client.readRecord(path)
  const changed = changedFields(ownMetadata(deposit.metadata), ownMetadata(metadata))
  const record = { ...deposit, metadata, revision, updated }
  if (changed.length === 0) return { deposit: record, remarks: [] }
  const edits = `its record has edits that are not published here: ${changed.join(', ')}`
  if (given !== undefined && isOfRecord(given, client.connection.server))
    return { deposit: record, remarks: [`Note: ${edits}. The record is pushed without them`] }
  const command = commandOf(recordUrl(deposit) ?? path)
  if (!publish)
    return { deposit, remarks: [`Note: ${edits}. They are pushed; ${advice.pushRecord(command)}`] }
  await requireMayLeave(client, deposit, { shown, publish })
  const next = advice.publishFirst(deposit.id, command)
  throw new Failure({ tried: `push ${shown}`, said: edits, next }, { exitCode: exitCodes.refused })
}

function changedFields(
  draft: Readonly<Record<string, unknown>>,
  record: Readonly<Record<string, unknown>>,
): readonly string[] {
  const names = new Set([...Object.keys(draft), ...Object.keys(record)])
  // The schema of a record is stricter than that of its draft.
  names.delete('$schema')
  return [...names].filter((name) => !isDeepStrictEqual(draft[name], record[name]))
}
