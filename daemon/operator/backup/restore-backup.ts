import { constants, existsSync } from 'node:fs'
import { chmod, copyFile, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { advice } from '../../advice.ts'
import { findForeign } from '../../home/empty-home.ts'
import type { Home } from '../../home/home.ts'
import { requireWritableFolders } from '../../home/writable-folders.ts'
import { lostAndFound, makeFolders, syncPath } from '../../../core/base/durable-files.ts'
import { openSnapshot, prepareSnapshot } from '../../stores/open-stores.ts'
import { unfinishedRestore } from '../../stores/storages.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { isSecret } from './beside.ts'
import { Directories } from './directories.ts'
import { blobPath, fileDigest } from './layout.ts'
import type { BackupHeader } from './layout.ts'
import { readBackup, type Backup } from './read-backup.ts'
import { isMissing } from '../../../core/base/errno.ts'

/** Paths of bytes below the folder of a backup. */
const blobsBegin = 'blobs/'

export interface RestoreOptions {
  /** Brings back tokens, grants, clients and the keys of the issuer as well. */
  readonly withTokens: boolean
  readonly progress: (done: number, all: number) => void
  readonly signal: AbortSignal
}

/**
 * Brings a backup back into an empty home: nothing of it is in its place before all of it was
 * read and found good.
 *
 * @throws {OperatorFailure} the home is not empty, or the backup is not what was made
 * @throws {DatabaseTooNew}
 */
export async function restoreBackup(
  home: Home,
  root: string,
  options: RestoreOptions,
): Promise<BackupHeader> {
  if (home.databaseUrl !== undefined) {
    throw new OperatorFailure('The rows are in PostgreSQL.', advice.restoreRows())
  }
  if (home.storageUrl !== undefined) {
    throw new OperatorFailure('The configuration keeps the bytes in S3.', advice.restoreThenMove())
  }
  const backup = await readBackup(root)
  await requireWritableFolders(home)
  await requireEmpty(home)
  requireKnownSchema(backup)
  const drafts = draftsIn(home)
  const database = join(drafts.home, 'deposit.db')
  const hadFolder = existsSync(home.blobs)
  await begin(home, drafts)
  try {
    await copyAll(backup, drafts, options)
    await requireEveryBlob(backup, database)
    prepareSnapshot(database, options.withTokens)
    await syncPath(database)
  } catch (error) {
    await giveUp(home, drafts, hadFolder).catch(() => {})
    throw error
  }
  await moveIn(home, drafts)
  return backup.header
}

/**
 * The folders a restore is prepared in. What is for `blobs/` is prepared there, for that may be a disk of
 * its own. The leftovers of an interrupted one are worthless.
 */
interface Drafts {
  readonly home: string
  readonly blobs: string
}

function draftsIn({ root, blobs }: Home): Drafts {
  return { home: join(root, unfinishedRestore), blobs: join(blobs, unfinishedRestore) }
}

/**
 * An interrupted restore may have moved in everything but the database, which comes last. Bytes are its
 * own only while its folder is still beside them.
 */
async function requireEmpty({ root }: Home): Promise<void> {
  const names = await readdir(root)
  const wasInterrupted = names.includes(unfinishedRestore) && !names.includes('deposit.db')
  const foreign = await findForeign(
    root,
    names.filter((name) => (wasInterrupted ? name === 'blobs' : name !== unfinishedRestore)),
    (held) => wasInterrupted && held.includes(unfinishedRestore),
  )
  if (foreign === undefined) return
  throw new OperatorFailure(`${root} is not empty (${foreign}).`, advice.useEmptyHome())
}

/** Makes the folders, and removes what an interrupted restore has left, but its folders: they tell that. */
async function begin({ root, blobs }: Home, drafts: Drafts): Promise<void> {
  makeFolders(drafts.home, 0o700)
  makeFolders(blobs, 0o700)
  await syncPath(root)
  for (const name of await readdir(blobs)) {
    if (name === lostAndFound || name === unfinishedRestore) continue
    await rm(join(blobs, name), { recursive: true })
  }
  makeFolders(drafts.blobs, 0o700)
  for (const draft of [drafts.home, drafts.blobs])
    for (const name of await readdir(draft)) await rm(join(draft, name), { recursive: true })
  await syncPath(blobs)
}

async function giveUp({ blobs }: Home, drafts: Drafts, hadFolder: boolean): Promise<void> {
  await rm(drafts.blobs, { recursive: true, force: true })
  if (!hadFolder) await rmdir(blobs)
  await rm(drafts.home, { recursive: true, force: true })
}

function requireKnownSchema({ layout }: Backup): void {
  openSnapshot(layout.database)[Symbol.dispose]()
}

async function copyAll(
  { layout, digests }: Backup,
  drafts: Drafts,
  { withTokens, progress, signal }: RestoreOptions,
): Promise<void> {
  const made = { home: new Directories(drafts.home), blobs: new Directories(drafts.blobs) }
  let done = 0
  for (const [path, sha256] of digests) {
    signal.throwIfAborted()
    const target = path.replace(/^home\//, '')
    if (isSecret(target) && !withTokens) continue
    const [part, below] = path.startsWith(blobsBegin)
      ? (['blobs', path.slice(blobsBegin.length)] as const)
      : (['home', target] as const)
    const copy = await made[part].holding(join(drafts[part], below))
    await copyGood(join(layout.root, path), copy, sha256)
    await chmod(copy, part === 'blobs' ? 0o400 : 0o600)
    await syncPath(copy)
    progress((done += 1), digests.size)
  }
  await made.home.sync()
  await made.blobs.sync()
}

/** @throws {OperatorFailure} the file is missing, or is not the one that was backed up */
async function copyGood(from: string, to: string, sha256: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } catch (error) {
    if (isMissing(error)) throw new OperatorFailure(`${from} is missing.`)
    throw error
  }
  if ((await fileDigest(to)) !== sha256) throw new OperatorFailure(`${from} is damaged.`)
}

/** Rows that name bytes which the backup does not have, and does not say so, are no backup. */
async function requireEveryBlob({ header, digests }: Backup, database: string): Promise<void> {
  using snapshot = openSnapshot(database)
  const known = new Set(header.damaged)
  for await (const { id, sha256 } of snapshot.read.blobs.each()) {
    if (known.has(id) || digests.get(blobPath(id)) === sha256) continue
    throw new OperatorFailure(`The backup lacks the bytes of blob ${id}.`)
  }
}

/** The database comes last, once all bytes are durable: with it, the home is what the backup was. */
async function moveIn(home: Home, drafts: Drafts): Promise<void> {
  for (const name of await readdir(drafts.blobs))
    await rename(join(drafts.blobs, name), join(home.blobs, name))
  await syncPath(home.blobs)
  const names = (await readdir(drafts.home)).filter((name) => name !== 'deposit.db')
  for (const name of names) {
    // Files that an interrupted restore left there, of the same backup or another one.
    await rm(join(home.root, name), { recursive: true, force: true })
    await rename(join(drafts.home, name), join(home.root, name))
  }
  await syncPath(home.root)
  await rename(join(drafts.home, 'deposit.db'), home.database)
  await syncPath(home.root)
  for (const draft of [drafts.blobs, drafts.home]) await rm(draft, { recursive: true, force: true })
}
