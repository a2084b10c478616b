import { advice, type Advice } from '../advice.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { ApiFailure } from '../client/api-failure.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { sayWithdrawn, withdrawnOf } from '../folder/withdrawn-version.ts'
import { recordUrl, statusOf } from '../output/deposit-facts.ts'
import type { Streams } from '../output/streams.ts'
import { findOpening, refuseOpening } from '../check/opening.ts'
import { askServer } from '../check/preflight.ts'
import type { Learn } from '../transfer/known-digests.ts'
import { findMissing, findOthers, sendFiles } from '../transfer/send-files.ts'
import { bytesDigest, checksumsOf, digestOf, namesDigest } from './file-digests.ts'
import type { Entry, Journal } from './journal.ts'
import type { PreparedRow } from './prepare-rows.ts'

export interface BatchOptions {
  readonly client: DepositClient
  readonly streams: Streams
  readonly journal: Journal
  /** Publishes each deposit after its files. */
  readonly publish: boolean
  /** Deletes files of drafts that are not in their rows. */
  readonly deletes: boolean
  /** Sends files, and learns what was sent of them. */
  readonly learn: Learn
}

/** Parallel uploads of one row; several rows run in parallel, too. */
const filesAtOnce = 4

/** Makes the deposit of a row, or resumes an interrupted one. Repeating it has no second effect. */
export async function runRow(options: BatchOptions, prepared: PreparedRow): Promise<DepositBody> {
  const { client, journal, publish } = options
  const { row, metadata, plan } = prepared
  // A request with a new key makes a new deposit; an earlier one may have been answered to nobody.
  const isNew = journal.find(row.identity) === undefined
  const begun = await journal.begin(row)
  const deposit = await findOrCreate(client, begun, metadata)
  const { id } = deposit
  await requireNotWithdrawn(client, deposit, begun)
  const { content, files } = digestsOf(prepared)
  const made = { ...begun, id, content }
  if (begun.content !== content) {
    // Updates a draft of an earlier run to its row.
    if (begun.id !== undefined) await client.replace(id, metadata, deposit.revision)
    await journal.note(made)
  }
  if (statusOf(deposit) === 'draft') {
    if (publish) await requireAccessSaid(client, deposit, prepared)
    const isSent = begun.done !== undefined && !hasOtherFiles(begun, prepared)
    if (!isSent && publish) await askServer(client, id, plan.files)
    const sent = isSent ? {} : await send(options, { deposit, isNew }, plan.files)
    const published = publish ? await publishOnce(client, id) : undefined
    return finish(options, { ...made, files, ...sent }, publish, published)
  } else if (hasOtherFiles(begun, prepared)) {
    const others = await findOthers(await client.listFiles(id), plan.files)
    if (others.length > 0) throw filesFrozen(id)
  }
  return finish(options, { ...made, files }, publish)
}

/** @param isNew it has no files yet */
async function send(
  options: BatchOptions,
  { deposit, isNew }: { readonly deposit: DepositBody; readonly isNew: boolean },
  files: readonly LocalFile[],
): Promise<Pick<Entry, 'bytes'>> {
  const present = isNew ? [] : await options.client.listFiles(deposit.id)
  return sendAll(options, { deposit, present }, files)
}

/**
 * Updates the deposit of a changed row; a published one is edited and published again.
 *
 * @throws {Failure} files of a published deposit changed: those are frozen
 */
export async function updateRow(
  options: BatchOptions,
  prepared: PreparedRow,
  entry: Entry & { readonly id: string },
): Promise<DepositBody> {
  const { client, journal, deletes } = options
  const { metadata, plan } = prepared
  const isPublished = entry.done === 'published'
  const deposit = await client.read(entry.id)
  await requireNotWithdrawn(client, deposit, entry)
  if (isPublished || entry.updating === true || options.publish)
    await requireAccessSaid(client, deposit, prepared)
  if (isPublished && hasOtherFiles(entry, prepared)) {
    if (!deletes) requireAllKept(entry.id, await client.listFiles(entry.id), plan.files)
    const next = await client.runAction(entry.id, 'newversion')
    const { url, content = '', files = '', ...kept } = entry
    const { bytes } = entry
    const former = {
      id: entry.id,
      content,
      files,
      ...(bytes === undefined ? {} : { bytes }),
      ...(url === undefined ? {} : { url }),
    }
    const opened = {
      ...kept,
      content,
      files,
      id: next.id,
      former,
      done: 'draft',
      updating: true,
    } as const
    await journal.note(opened)
    return updateRow(options, prepared, opened)
  }
  if (isPublished) {
    const isDraft = statusOf(deposit) === 'draft'
    if (isDraft && entry.updating === undefined) throw beingEdited(entry.id)
    await journal.note({ ...entry, updating: true })
    if (!isDraft) await client.runAction(entry.id, 'edit')
  }
  const draft = isPublished ? await client.read(entry.id) : deposit
  await client.replace(draft.id, metadata, draft.revision)
  const sent = hasOtherFiles(entry, prepared)
    ? await send(options, { deposit: draft, isNew: false }, plan.files)
    : {}
  const publish = isPublished || entry.updating === true || options.publish
  const published = publish ? await publishOnce(client, entry.id) : undefined
  const { updating: _, ...rest } = entry
  return finish(options, { ...rest, ...digestsOf(prepared), ...sent }, publish, published)
}

/**
 * Deletes the draft of a next version if the row is again as published: publishing it would make a
 * second, equal record. Returns whether it did.
 *
 * @throws {Failure} the draft has other files, too, which would be lost
 */
export async function returnToFormer(
  { client, journal, deletes }: BatchOptions,
  prepared: PreparedRow,
  entry: Entry,
): Promise<boolean> {
  const { id, former, updating: _, ...rest } = entry
  if (id === undefined || !isFormer(entry, prepared)) return false
  if (statusOf(await client.read(id)) !== 'draft') return false
  if (!deletes) requireNoFurther(id, await client.listFiles(id), prepared.plan.files)
  await client.delete(id, { force: true })
  await journal.note({ ...rest, ...former, done: 'published' })
  return true
}

/** True if a row is again as published while a draft of its next version exists. */
export function isFormer({ former }: Entry, prepared: PreparedRow): boolean {
  const row = digestsOf(prepared)
  if (former?.content !== row.content || former.files !== row.files) return false
  return !areOther(former.bytes, prepared)
}

/**
 * Records that a row is finished, and the address of its record.
 *
 * @param last the deposit as it was just answered
 */
async function finish(
  { client, journal }: BatchOptions,
  entry: Entry & { readonly id: string },
  isPublished: boolean,
  last?: DepositBody,
): Promise<DepositBody> {
  const deposit = last ?? (await client.read(entry.id))
  const url = isPublished ? recordUrl(deposit) : undefined
  const done = isPublished ? 'published' : 'draft'
  const { former: _, ...rest } = entry
  await journal.note({ ...rest, ...(url === undefined ? {} : { url }), done })
  return deposit
}

/** Publishes; an interrupted command may have asked for the same just before. */
async function publishOnce(client: DepositClient, id: string): Promise<DepositBody> {
  try {
    return await client.runAction(id, 'publish')
  } catch (error) {
    const isRefused = error instanceof ApiFailure && error.problem.code === 'invalid_action'
    const deposit = isRefused ? await client.read(id) : undefined
    if (!deposit || statusOf(deposit) !== 'published') throw error
    return deposit
  }
}

function findOrCreate(
  client: DepositClient,
  { id, key }: Entry,
  metadata: Metadata,
): Promise<DepositBody> {
  return id === undefined ? client.create(metadata, key) : client.read(id)
}

/**
 * Makes the files of a draft match its row; a changed file gets a new version.
 *
 * @throws {Failure} the draft has files that the row does not have: nothing was sent
 */
async function sendAll(
  { client, streams, deletes, learn }: BatchOptions,
  { deposit, present }: { readonly deposit: DepositBody; readonly present: readonly FileBody[] },
  files: readonly LocalFile[],
): Promise<Pick<Entry, 'bytes'>> {
  if (!deletes) requireNoFurther(deposit.id, present, files)
  for (const name of furtherNames(present, files)) await client.deleteFile(deposit.id, name)
  if (files.length === 0) return {}
  const to = { client, streams, deposit, present, replace: true, jobs: filesAtOnce, quiet: true }
  const stored = await learn(files, async () => {
    const sent = await sendFiles(to, files, await findMissing(to, files))
    return new Map([...checksumsOf(present), ...checksumsOf(sent)])
  })
  const bytes = bytesDigest(files, stored)
  return bytes === undefined ? {} : { bytes }
}

/** True when a row is finished, apart from later changes. */
export function isDone(entry: Entry | undefined, publish: boolean): boolean {
  return entry?.done === 'published' || (entry?.done === 'draft' && !publish)
}

/** True when the row has changed since its deposit was made. */
export function isChanged(entry: Entry, prepared: PreparedRow): boolean {
  return entry.content !== digestsOf(prepared).content || hasOtherFiles(entry, prepared)
}

/** False for an older journal, which has no digest of files. */
export function hasOtherFiles({ files, bytes }: Entry, prepared: PreparedRow): boolean {
  if (files === undefined) return false
  return files !== digestsOf(prepared).files || areOther(bytes, prepared)
}

/** False where one of both is not known. */
function areOther(before: string | undefined, { bytes }: PreparedRow): boolean {
  return before !== undefined && bytes !== undefined && before !== bytes
}

function digestsOf({ metadata, plan }: PreparedRow): { content: string; files: string } {
  return { content: digestOf(metadata), files: namesDigest(plan.files) }
}

/** Names of files in a deposit that are not in its row. */
function furtherNames(
  present: readonly FileBody[],
  files: readonly LocalFile[],
): readonly string[] {
  const keys = new Set(files.map(({ key }) => key))
  return present.map(({ filename }) => filename).filter((name) => !keys.has(name))
}

/** @throws {Failure} the draft has files that the row does not have */
export function requireNoFurther(
  id: string,
  present: readonly FileBody[],
  files: readonly LocalFile[],
): void {
  const names = furtherNames(present, files)
  if (names.length > 0) throw hasFurther(id, names, advice.matchRow(id, names))
}

/**
 * A next version begins with all files of the one before.
 *
 * @param present files of the published deposit
 * @throws {Failure} it has files that the row does not have
 */
export function requireAllKept(
  id: string,
  present: readonly FileBody[],
  files: readonly LocalFile[],
): void {
  const names = furtherNames(present, files)
  if (names.length > 0) throw hasFurther(`the next version of ${id}`, names, advice.giveDelete())
}

function hasFurther(of: string, names: readonly string[], next: Advice): Failure {
  return new Failure(
    {
      tried: `send the files of ${of}`,
      said: `it has files that the row does not have: ${names.join(', ')}`,
      next,
    },
    { exitCode: exitCodes.refused },
  )
}

/**
 * What was withdrawn is not published again by a changed row: it may still have what it was withdrawn for.
 *
 * @throws {Failure} the record of the row was withdrawn
 */
export async function requireNotWithdrawn(
  client: DepositClient,
  deposit: DepositBody,
  { former }: Entry,
): Promise<void> {
  const before = former && (await client.read(former.id))
  const withdrawn = [deposit, before].flatMap((each) => withdrawnOf(each) ?? [])[0]
  if (withdrawn === undefined) return
  const { restorable } = withdrawn
  const next =
    restorable === undefined ? advice.removeAndNewKey() : advice.restoreOrNewKey(restorable)
  const lines = { tried: `update ${deposit.id}`, said: sayWithdrawn(withdrawn), next }
  throw new Failure(lines, { exitCode: exitCodes.refused })
}

/** @throws {Failure} it would make closed files public, which the row does not say */
export async function requireAccessSaid(
  client: DepositClient,
  deposit: DepositBody,
  { metadata }: PreparedRow,
): Promise<void> {
  const opening = await findOpening(client, deposit, metadata)
  if (opening !== undefined)
    throw refuseOpening(`update ${deposit.id}`, opening, advice.writeAccessOfRow)
}

export function filesFrozen(id: string): Failure {
  return new Failure(
    {
      tried: `update ${id}`,
      said: 'it was published, and its row has other files now',
      next: advice.useNewKey(),
    },
    { exitCode: exitCodes.refused },
  )
}

export function beingEdited(id: string): Failure {
  return new Failure(
    {
      tried: `update ${id}`,
      said: 'it is being edited outside of this batch',
      next: advice.inTurn(advice.takeActions(id, ['publish', 'discard']), advice.runAgain()),
    },
    { exitCode: exitCodes.refused },
  )
}
