import { advice } from '../advice.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { uploadFiles } from '../client/upload-files.ts'
import { requirePossible } from '../client/rehearsal.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { jobsFor } from '../options.ts'
import { startProgress, type ShowProgress } from '../output/progress.ts'
import type { Streams } from '../output/streams.ts'
import { hasDigest } from '../client/file-digest.ts'

interface SendOptions {
  readonly client: DepositClient
  readonly streams: Streams
  readonly deposit: DepositBody
  /** Files that the deposit has. */
  readonly present: readonly FileBody[]
  readonly replace: boolean
  /** Parallel uploads; undefined for the default. */
  readonly jobs: number | undefined
  readonly quiet: boolean
  /** Begins to show the progress; without it, it is shown on `streams`. */
  readonly show?: ShowProgress | undefined
}

/**
 * Uploads the `missing` ones of `files` and sorts the deposit by `files`; other files of the
 * deposit keep their places.
 *
 * @param missing those of `files` that are not there: {@link findMissing}
 * @returns the files that were sent
 */
export async function sendFiles(
  options: SendOptions,
  files: readonly LocalFile[],
  missing: readonly LocalFile[],
): Promise<readonly FileBody[]> {
  const stored = await sendMissing(options, missing)
  if (stored.length > 0 && files.length > 1)
    await arrange(options.client, options.deposit.id, keysOf(files))
  return stored
}

/** Uploads files in any order, and shows the progress. */
export async function sendMissing(
  { client, streams, deposit, replace, jobs, quiet, show }: Omit<SendOptions, 'present'>,
  missing: readonly LocalFile[],
): Promise<readonly FileBody[]> {
  const bytes = missing.reduce((sum, { size }) => sum + size, 0)
  const transfer = { verb: 'Uploading', files: missing.length, bytes }
  using progress = show ? show(transfer) : await startProgress(streams, transfer, quiet)
  const { connection } = client
  const { id, links } = deposit
  const to = { connection, id, bucket: bucketOf(deposit), bundles: links['bundles'], replace }
  const how = { jobs: jobs ?? jobsFor(transfer), progress }
  if (missing.every(({ packed }) => packed === undefined))
    return await uploadFiles(to, missing, how)
  const { withUnpacked } = await import('./unpack-files.ts')
  return await withUnpacked(missing, (files) => uploadFiles(to, files, how))
}

/**
 * The files that the deposit does not have with the same digest, so that a repeated command sends
 * nothing twice.
 *
 * @throws {Failure} the files of the deposit are frozen, or a name is taken by other bytes and is
 *   not to be replaced
 */
export async function findMissing(
  { deposit, present, replace }: Pick<SendOptions, 'deposit' | 'present' | 'replace'>,
  files: readonly LocalFile[],
): Promise<readonly LocalFile[]> {
  const missing = await findOthers(present, files)
  const names = new Set(present.map(({ filename }) => filename))
  const taken = missing.filter(({ key }) => names.has(key))
  if (taken.length === 0 || replace) return missing
  requirePossible(`upload to ${deposit.id}`, 'upload', deposit)
  throw namesTaken(deposit.id, taken)
}

/** Those of `files` that are not `present` with the same digest. */
export async function findOthers(
  present: readonly FileBody[],
  files: readonly LocalFile[],
): Promise<readonly LocalFile[]> {
  const byKey = new Map(present.map((file) => [file.filename, file]))
  const missing: LocalFile[] = []
  for (const file of files) {
    const stored = byKey.get(file.key)
    if (stored === undefined || !(await hasDigest(file, stored))) missing.push(file)
  }
  return missing
}

function keysOf(files: readonly LocalFile[]): readonly string[] {
  return files.map(({ key }) => key)
}

function namesTaken(id: string, files: readonly LocalFile[]): Failure {
  return new Failure(
    {
      tried: `upload to ${id}`,
      said: `it has other files of these names: ${keysOf(files).join(', ')}`,
      next: advice.renameOrReplaceAll(id),
    },
    { exitCode: exitCodes.refused },
  )
}

function bucketOf({ id, links }: DepositBody): string {
  const bucket = links['bucket']
  if (bucket !== undefined) return bucket
  throw new Failure({
    tried: `upload to ${id}`,
    said: 'the answer of the server has no link for its files',
    next: advice.checkUrl(),
  })
}

/** Longest list that the daemon takes. */
const maxSorted = 10_000

/** Sorts the files named in `keys`; other files keep their places. */
export async function arrange(
  client: DepositClient,
  id: string,
  keys: readonly string[],
): Promise<void> {
  const files = await client.listFiles(id)
  const ours = new Set(keys)
  const isOurs = ({ filename }: FileBody): boolean => ours.has(filename)
  const next = inOrder(files.filter(isOurs), keys).values()
  const sorted = files.map((file) => (isOurs(file) ? (next.next().value ?? file) : file))
  const isArranged = sorted.every((file, at) => file === files[at])
  if (isArranged || files.length > maxSorted) return
  await client.arrangeFiles(id, sorted.map(toId))
}

/** A file in the body of a sort request. */
export function toId({ id }: FileBody): { readonly id: string } {
  return { id }
}

/** `files` in the order of `keys`; other files last. */
export function inOrder(files: readonly FileBody[], keys: readonly string[]): readonly FileBody[] {
  const places = new Map(keys.toReversed().map((key, at) => [key, keys.length - at]))
  const placeOf = ({ filename }: FileBody): number => places.get(filename) ?? Infinity
  return files.toSorted((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)]
    return one === other ? 0 : one - other
  })
}
