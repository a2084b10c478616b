import { Readable } from 'node:stream'
import { requireOpenFiles } from '../deposit/deposit.ts'
import { wrongField } from '../errors/errors.ts'
import { fileRowBytes, type FileKey } from '../files/file.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { authorize } from './authorize.ts'
import { changeDeposit, type Changed } from './change-deposit.ts'
import type { FileRequest } from './files.ts'
import {
  chargedUser,
  claimedForRows,
  claimRoom,
  requireBytesAllowed,
  requireFilesAllowed,
  type Addition,
} from './limits.ts'
import type { Parts } from './parts.ts'
import type { Claim } from './quota-claims.ts'
import { newFile, putFile, stageBlob, type PutFile, type StagedBlob } from './put-file.ts'

/** A small file as it arrived. */
export interface BundledFile {
  readonly key: FileKey
  /** As it was sent. */
  readonly name: string
  readonly bytes: Buffer
}

/** The durable bytes of a file, of which no row speaks yet. */
export interface StagedFile {
  readonly key: FileKey
  /** As it was sent. */
  readonly name: string
  readonly staged: StagedBlob
}

/** The durable bytes of a bundle. Disposing of it removes what {@link Bundles.put} has not kept. */
export interface StagedBundle extends AsyncDisposable {
  readonly files: readonly StagedFile[]
  /** Held for the bytes of all files. */
  readonly claim?: Claim
}

/** Small files that come together, to be stored all or none. */
export interface Bundles {
  /**
   * Takes files in and makes their bytes durable, with one sync for all.
   *
   * @param read asked for the files when it is the caller's turn
   * @throws {DepositError} invalid_action, files_frozen: the files of the deposit cannot change
   * @throws {DepositError} wrong_file: two of them have one key
   * @throws {DepositError} quota_exceeded, storage_full, storage_degraded
   */
  readonly stage: (
    request: FileRequest,
    read: () => Promise<readonly BundledFile[]>,
  ) => Promise<StagedBundle>

  /**
   * Adds the files behind those that are there; a key that is taken gets a new version.
   *
   * @param mustBeNew refuses to make new versions
   * @throws {DepositError} file_already_exists: there is a file, and it must be new; nothing is changed
   * @throws {DepositError} wrong_file: there is a file, and its name is another
   * @throws {DepositError} quota_exceeded, invalid_action, files_frozen
   */
  readonly put: (
    request: FileRequest<readonly PutFile[]>,
    bundle: StagedBundle,
    mustBeNew: boolean,
  ) => Promise<Changed<readonly PutFile[]>>
}

export function createBundles(parts: Parts): Bundles {
  return {
    stage: async ({ caller, id, expected }, read) => {
      const deposit = await authorize(parts, caller, id, 'update', expected)
      requireOpenFiles(deposit, 'upload')
      using _ = await parts.turns.take(chargedUser(deposit))
      const files = await read()
      requireDistinct(files)
      const size = files.reduce((sum, file) => sum + file.bytes.length, 0)
      const keys = files.map(({ key }) => key)
      const claimed = { size, ...claimedForRows(parts, deposit, keys) }
      return await stageAll(parts, files, await claimRoom(parts, { caller, deposit }, claimed))
    },
    put: (request, { files, claim }, mustBeNew) => {
      const change = changeDeposit(
        parts,
        { ...request, intent: 'update' },
        async (deposit, unit, now) => {
          requireOpenFiles(deposit, 'upload')
          const put = mustBeNew ? addAll : putAll
          const answer = await put(parts, unit, { caller: request.caller, deposit, files, now })
          return { deposit: await unit.deposits.touch(deposit, now), answer }
        },
      )
      const counted = claim?.settle(change) ?? change
      return files.reduce((kept, { staged }) => staged.keepWhen(kept), counted)
    },
  }
}

function requireDistinct(files: readonly BundledFile[]): void {
  const keys = new Set<FileKey>()
  for (const { key } of files) {
    if (keys.has(key))
      throw wrongField('wrong_file', 'file', `Two files of the bundle are named "${key}".`)
    keys.add(key)
  }
}

/** Written at the same moment, they share the store's syncs. */
async function stageAll(
  parts: Parts,
  files: readonly BundledFile[],
  claim: Claim,
): Promise<StagedBundle> {
  await using stack = new AsyncDisposableStack()
  stack.use(claim)
  const staging = files.map(async ({ key, name, bytes }) => {
    const incoming = { expectedSize: bytes.length }
    return {
      key,
      name,
      staged: stack.use(await stageBlob(parts, Readable.from([bytes]), incoming)),
    }
  })
  // When one fails the others must end first: `stack` removes only blobs it knows.
  await Promise.allSettled(staging)
  const staged = await Promise.all(staging)
  const all = stack.move()
  return { files: staged, claim, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

interface Put extends Addition {
  readonly files: readonly StagedFile[]
  readonly now: string
}

/** Asks once for all what {@link putAll} asks for each. */
async function addAll(
  parts: Parts,
  unit: UnitOfWork,
  { caller, deposit, files, now }: Put,
): Promise<readonly PutFile[]> {
  const size = files.reduce((sum, { staged }) => sum + staged.blob.size, 0)
  const ofRows = files.reduce((sum, { key }) => sum + fileRowBytes(key), 0)
  await requireBytesAllowed(parts, unit, { caller, deposit }, { size, ofRows })
  await requireFilesAllowed(parts, unit, deposit, files.length)
  const rows = files.map(({ key, staged }) => newFile(parts, deposit, key, staged.blob, now))
  const added = await unit.files.addAll(deposit.bucket, rows)
  return added.map((file) => ({ file, isNew: true }))
}

async function putAll(
  parts: Parts,
  unit: UnitOfWork,
  { caller, deposit, files, now }: Put,
): Promise<readonly PutFile[]> {
  const put: PutFile[] = []
  for (const { key, name, staged } of files) {
    const file = { caller, deposit, key, name, blob: staged.blob, now }
    put.push(await putFile(parts, unit, file))
  }
  return put
}
