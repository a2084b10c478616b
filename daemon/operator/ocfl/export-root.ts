import { rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { syncFolder } from '../../../core/base/durable-files.ts'
import { inBatches, inParallel } from '../../../core/base/in-parallel.ts'
import { kindOf } from '../../../core/packages/ocfl/check-root.ts'
import type { OcflFinding } from '../../../core/packages/ocfl/finding.ts'
import {
  makeStorageRoot,
  NoStorageRoot,
  openStorageRoot,
  StorageRootBusy,
  type StorageRoot,
} from '../../../core/packages/ocfl/storage-root.ts'
import { objectNames } from '../../../core/packages/ocfl/record-names.ts'
import { addVersions, openObject } from '../../../core/packages/ocfl/write-object.ts'
import { isProblem, type PublishedRecord } from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { fileDigest } from '../backup/layout.ts'
import type { WorkContext } from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { findFaults, readManifest, type JudgedRoot } from './own-root.ts'
import { versionsOf, type ObjectSource } from './record-object.ts'

export interface ExportOptions {
  /** Absolute path of the storage root, which is made if it is not there. */
  readonly target: string
  /** Lets a file be one with the service's where the file system can. */
  readonly share: boolean
  /** Writes objects anew that keep bytes which were destroyed at the service. */
  readonly purges: boolean
  readonly progress: (objects: number, versions: number, bytes: number) => void
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

export interface ExportedRoot {
  /** Records that the root has now. */
  readonly objects: number
  /** Of these, those that were made or got a new version. */
  readonly changed: number
  /** Versions that were written. */
  readonly versions: number
  /** Bytes of files that were written: those that a version shares with an older one are not. */
  readonly bytes: number
  /** Records that could not be written whole, and are as they were in the root. */
  readonly damaged: readonly { readonly record: string; readonly message: string }[]
  /** Objects that keep bytes which were destroyed at the service, each with its folder. */
  readonly keeping: readonly { readonly record: string; readonly folder: string }[]
  /** Of objects that were left as they are; or of the root, in which nothing was written then. */
  readonly faults: readonly OcflFinding[]
  readonly isRefused: boolean
}

/**
 * Writes all records to a storage root of OCFL 1.1: an object for each, with a version for each of its
 * revisions. Revisions that are there are not written again.
 *
 * @throws {OperatorFailure} the folder is something else
 */
export async function exportRoot(
  context: WorkContext,
  options: ExportOptions,
): Promise<ExportedRoot> {
  const { target, note } = options
  const { home, addresses, parts } = context
  if (!relative(home.root, target).startsWith('..')) {
    const said = `${target} lies inside the home, and would be lost with it.`
    throw new OperatorFailure(said, advice.backupOutside())
  }
  try {
    if ((await kindOf(target)) !== 'root') await makeStorageRoot(target)
    await using root = await openStorageRoot(target)
    const { faults, odd, origin } = await findFaults(context, root, options.signal)
    const none = { objects: 0, changed: 0, versions: 0, bytes: 0, damaged: [], keeping: [] }
    if (faults.length > 0) return { ...none, faults, isRefused: true }
    const here = addresses.origin()
    if (origin === undefined && addresses.isGuessed)
      note(`Objects are named by ${here}, which is a guess. ${advice.nameObjects()}`)
    if (origin !== undefined && origin !== here)
      note(`Objects in ${target} are named by ${origin}, and stay so.`)
    // Bytes that rows name must be there until they are copied.
    await using _ = parts.blobs.holdRemovals()
    return await exportRecords(context, root, { ...options, odd, origin: origin ?? here })
  } catch (error) {
    if (error instanceof NoStorageRoot)
      throw new OperatorFailure(`${error.message}.`, advice.nameNew())
    if (error instanceof StorageRootBusy)
      throw new OperatorFailure(`${capital(error.message)}.`, advice.runAgain())
    throw error
  }
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

async function exportRecords(
  context: WorkContext,
  root: StorageRoot,
  options: ExportOptions & Pick<JudgedRoot, 'odd'> & { readonly origin: string },
): Promise<ExportedRoot> {
  const { parts, addresses } = context
  const links = addresses.recordLinks(options.origin)
  const damaged: { record: string; message: string }[] = []
  const keeping: { record: string; folder: string }[] = []
  const done = { objects: 0, changed: 0, versions: 0, bytes: 0 }
  const copyBlob: ObjectSource['copyBlob'] = async (blob, path) => {
    options.signal.throwIfAborted()
    await copyWhole(parts, blob, path, options.share)
    done.bytes += blob.size
  }
  const exportOne = async (record: PublishedRecord): Promise<void> => {
    options.signal.throwIfAborted()
    const id = links.recordPage(record.value)
    if (options.odd.has(root.pathOf(id))) return
    try {
      const source = { context, links, copyBlob }
      const { written, keeps } = await exportRecord(source, root, id, { record, ...options })
      if (keeps) keeping.push({ record: record.value, folder: root.pathOf(id) })
      done.objects += 1
      done.versions += written
      if (written > 0) done.changed += 1
    } catch (error) {
      if (!(error instanceof DamagedBytes) && !isProblem(error, 'damaged_file')) throw error
      const message = error instanceof DamagedBytes ? error.message : 'its document is damaged'
      damaged.push({ record: record.value, message })
    }
    options.progress(done.objects, done.versions, done.bytes)
  }
  for await (const batch of inBatches(parts.database.read.records.each(), 4 * atOnce))
    await inParallel(batch, atOnce, () => exportOne)
  const faults = [...options.odd.values()].flat()
  return { ...done, damaged, keeping, faults, isRefused: false }
}

/** Records written at once: most of the time they wait for the disk. */
const atOnce = 4

interface Written {
  /** Versions. */
  readonly written: number
  /** The object has bytes of files that are destroyed at the service. */
  readonly keeps: boolean
}

async function exportRecord(
  source: ObjectSource,
  root: StorageRoot,
  id: string,
  { record, purges }: Pick<ExportOptions, 'purges'> & { readonly record: PublishedRecord },
): Promise<Written> {
  const object = await openObject(root, id)
  const { folder, inventory } = object
  const known = inventory && (await readManifest(folder, inventory, inventory.head))
  const deposit = await source.context.parts.database.read.deposits.findByBucket(record.bucket)
  const withdrawal = deposit?.withdrawal
  const now = { latest: record, withdrawal }
  const contents = Object.values(inventory?.manifest ?? {}).flat()
  const keeps = withdrawal?.bytesDestroyed === true && contents.some(isOfFile)
  if (keeps && purges) {
    // What is in a draft is removed at the end, also where this was killed.
    await rename(folder, join(await root.draft(), 'object'))
    await syncFolder(dirname(folder))
    const anew = { folder, inventory: undefined }
    const written = await addVersions(root, id, anew, versionsOf(source, now, undefined))
    return { written: written.length, keeps: false }
  }
  const written = await addVersions(root, id, object, versionsOf(source, now, known))
  return { written: written.length, keeps }
}

const { files, clashing, earlier } = objectNames

/** Whether a path in an object is that of a file of its record. */
function isOfFile(path: string): boolean {
  const logical = path.split('/').slice(2).join('/')
  return [files, clashing, earlier, 'by-digest/'].some((start) => logical.startsWith(start))
}

/** The stored bytes of a file are not those of its row. */
class DamagedBytes extends Error {}

async function copyWhole(
  { blobs }: WorkContext['parts'],
  { id, sha256 }: { readonly id: string; readonly sha256: string },
  path: string,
  share: boolean,
): Promise<void> {
  const fault = new DamagedBytes(`the bytes of blob ${id} are missing or damaged`)
  try {
    await blobs.copyOut(id as Parameters<typeof blobs.copyOut>[0], path, share)
  } catch (error) {
    if (isProblem(error, 'damaged_file')) throw fault
    throw error
  }
  if ((await fileDigest(path)) === sha256) return
  await rm(path)
  throw fault
}
