import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { uploadFiles } from '../client/upload-files.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { startProgress } from '../output/progress.ts'
import type { Streams } from '../output/streams.ts'
import { arrange } from './arrange.ts'

interface SendOptions {
  readonly client: DepositClient
  readonly streams: Streams
  readonly deposit: DepositBody
  /** What the deposit has already. */
  readonly present: readonly FileBody[]
  readonly replace: boolean
  readonly quiet: boolean
}

/**
 * Sends `files` to a deposit and puts them behind those that it has, in the order of `files`. What
 * is there with the same digest is not sent again, so an interrupted command may be repeated.
 *
 * @returns the files that were sent
 * @throws {Failure} a name is taken by other bytes: before anything is sent
 */
export async function sendFiles(
  options: SendOptions,
  files: readonly LocalFile[],
): Promise<readonly FileBody[]> {
  const { client, streams, deposit, present, replace, quiet } = options
  const missing = await withoutTwins(files, present)
  const taken = missing.filter(({ key }) => present.some(({ filename }) => filename === key))
  if (taken.length > 0 && !replace) throw namesTaken(deposit.id, taken)
  const bytes = missing.reduce((sum, { size }) => sum + size, 0)
  const transfer = { verb: 'Uploading', files: missing.length, bytes }
  using progress = await startProgress(streams, transfer, quiet)
  const bucket = bucketOf(deposit)
  const to = { connection: client.connection, bucket, replace }
  const stored = await uploadFiles(to, missing, progress)
  await arrange(client, deposit.id, [...present.map(({ filename }) => filename), ...keysOf(files)])
  return stored
}

function keysOf(files: readonly LocalFile[]): readonly string[] {
  return files.map(({ key }) => key)
}

/** The files that are not there yet with the same bytes. */
async function withoutTwins(
  files: readonly LocalFile[],
  present: readonly FileBody[],
): Promise<readonly LocalFile[]> {
  const byKey = new Map(present.map((file) => [file.filename, file]))
  const missing: LocalFile[] = []
  for (const file of files) if (!(await isSame(file, byKey.get(file.key)))) missing.push(file)
  return missing
}

async function isSame({ path, size }: LocalFile, stored: FileBody | undefined): Promise<boolean> {
  if (stored === undefined || stored.filesize !== size) return false
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return stored.checksum === `sha256:${hash.digest('hex')}`
}

function namesTaken(id: string, files: readonly LocalFile[]): Failure {
  return new Failure(
    {
      tried: `upload to ${id}`,
      said: `it has other files of these names: ${keysOf(files).join(', ')}`,
      next: 'rename them, or replace those with `--replace`; nothing was sent',
    },
    { exitCode: exitCodes.refused },
  )
}

function bucketOf({ id, links }: DepositBody): string {
  const bucket = links['bucket']
  if (bucket !== undefined) return bucket
  throw new Failure({
    tried: `upload to ${id}`,
    said: 'the server names no place for its files',
    next: 'check DEPOSIT_URL, and the versions with `deposit --version` and `deposit daemon status`',
  })
}
