import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { advice } from '../../advice.ts'
import type { Home } from '../../home/home.ts'
import { syncPath } from '../../../core/base/durable-files.ts'
import { openSnapshot, prepareSnapshot } from '../../stores/open-stores.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { isSecret } from './beside.ts'
import { Directories } from './directories.ts'
import { harmless } from './fit-target.ts'
import { blobPath, fileDigest } from './layout.ts'
import type { BackupHeader } from './layout.ts'
import { readBackup, type Backup } from './read-backup.ts'
import { isMissing } from '../../../core/base/errno.ts'

export interface RestoreOptions {
  /** Brings back tokens, grants, clients and the keys of the issuer as well. */
  readonly withTokens: boolean
  readonly progress: (done: number, all: number) => void
  readonly signal: AbortSignal
}

/** The folder a restore is prepared in; the leftovers of an interrupted one are worthless. */
const draftName = 'restore.incomplete'

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
  await requireEmpty(home)
  requireKnownSchema(backup)
  const draft = join(home.root, draftName)
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  try {
    await copyAll(backup, draft, options)
    await requireEveryBlob(backup, join(draft, 'deposit.db'))
    prepareSnapshot(join(draft, 'deposit.db'), options.withTokens)
    await syncPath(join(draft, 'deposit.db'))
    await moveIn(draft, home)
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => {})
    throw error
  }
  return backup.header
}

/** An interrupted restore may have moved in everything but the database, which comes last. */
async function requireEmpty(home: Home): Promise<void> {
  const names = await readdir(home.root)
  const wasInterrupted = names.includes(draftName) && !names.includes('deposit.db')
  if (wasInterrupted) {
    await rm(home.blobs, { recursive: true, force: true })
    return
  }
  const foreign = names.find((name) => name !== draftName && !harmless.has(name))
  if (foreign === undefined) return
  throw new OperatorFailure(`${home.root} is not empty (${foreign}).`, advice.useEmptyHome())
}

function requireKnownSchema({ layout }: Backup): void {
  openSnapshot(layout.database)[Symbol.dispose]()
}

async function copyAll(
  { layout, digests }: Backup,
  draft: string,
  { withTokens, progress, signal }: RestoreOptions,
): Promise<void> {
  const directories = new Directories(draft)
  let done = 0
  for (const [path, sha256] of digests) {
    signal.throwIfAborted()
    const target = path.replace(/^home\//, '')
    if (isSecret(target) && !withTokens) continue
    const copy = await directories.holding(join(draft, target))
    await copyGood(join(layout.root, path), copy, sha256)
    progress((done += 1), digests.size)
  }
  await directories.sync()
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
  const isBlob = to.includes('/blobs/')
  await chmod(to, isBlob ? 0o400 : 0o600)
  await syncPath(to)
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

/** The database comes last: with it, the home is what the backup was. */
async function moveIn(draft: string, home: Home): Promise<void> {
  const names = (await readdir(draft)).filter((name) => name !== 'deposit.db')
  for (const name of names) {
    // Files that an interrupted restore left there, of the same backup or another one.
    await rm(join(home.root, name), { recursive: true, force: true })
    await rename(join(draft, name), join(home.root, name))
  }
  await syncPath(home.root)
  await rename(join(draft, 'deposit.db'), home.database)
  await rm(draft, { recursive: true, force: true })
  await syncPath(home.root)
}
