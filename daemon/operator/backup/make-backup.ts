import { lstat, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { syncPath } from '../../../core/base/durable-files.ts'
import { isProblem, systemClock } from '../../../core/index.ts'
import type { WorkContext } from '../command/operator-command.ts'
import { openSnapshot } from '../../stores/open-stores.ts'
import { advice } from '../../advice.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { readVersion } from '../../version.ts'
import { copyBeside } from './beside.ts'
import { Directories } from './directories.ts'
import { backupAt, blobPath, fileDigest } from './layout.ts'
import type { BackupHeader, BackupLayout } from './layout.ts'

export interface BackupOptions {
  /** Absolute path of the folder that it becomes. */
  readonly target: string
  /** Lets a blob be one file with the service's where the file system can. */
  readonly share: boolean
  readonly progress: (done: number, size: number) => void
  /** Gets warnings about a backup that is still good. */
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

/**
 * Makes a backup of all that is committed when it begins, while the service goes on. Until it is
 * whole and durable it lies beside its target, under the same name and `.incomplete`.
 *
 * @throws {OperatorFailure} the target is there, or cannot be
 */
export async function makeBackup(
  context: WorkContext,
  options: BackupOptions,
): Promise<BackupHeader> {
  const { target } = options
  if (context.home.databaseUrl !== undefined) {
    throw new OperatorFailure('The rows are in PostgreSQL.', advice.dumpRows())
  }
  if (context.home.storageUrl !== undefined) {
    throw new OperatorFailure('The bytes are in S3.', advice.copyIntoFolder())
  }
  await requireFree(context, target)
  const draft = backupAt(`${target}.incomplete`)
  await clearDraft(draft)
  await mkdir(draft.root, { mode: 0o700 })
  const header = await fill(context, draft, options)
  await rename(draft.root, target)
  await syncPath(dirname(target))
  await noteAge(context.home, options)
  return header
}

/** Its age is a figure of the metrics; the backup is good without that. */
async function noteAge(
  { lastBackup }: WorkContext['home'],
  { note }: BackupOptions,
): Promise<void> {
  try {
    await writeFile(lastBackup, '', { mode: 0o600 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    note(`${lastBackup} cannot be written, so the metrics show an older backup: ${reason}`)
  }
}

async function requireFree({ home }: WorkContext, target: string): Promise<void> {
  if (!relative(home.root, target).startsWith('..')) {
    throw new OperatorFailure(
      `${target} lies inside the home, and would be lost with it.`,
      advice.backupOutside(),
    )
  }
  const parent = await stat(dirname(target)).catch(() => undefined)
  if (!parent?.isDirectory()) {
    const folder = dirname(target)
    throw new OperatorFailure(`There is no folder ${folder}.`, advice.makeParent(folder))
  }
  const present = await lstat(target).catch(() => undefined)
  if (!present) return
  throw new OperatorFailure(`There is a ${target} already; it was not changed.`, advice.nameNew())
}

/** Removes what an interrupted backup left, and nothing that is not of one. */
async function clearDraft({ root, ...parts }: BackupLayout): Promise<void> {
  const names = await readdir(root).catch(() => [])
  const ours = new Set([...Object.values(parts).map((path) => basename(path)), 'blobs'])
  const foreign = names.find((name) => !ours.has(name.replace(/-(?:journal|wal|shm)$/, '')))
  if (foreign !== undefined) {
    const path = join(root, foreign)
    throw new OperatorFailure(`${path} does not belong to a backup.`, advice.moveAway(path))
  }
  await rm(root, { recursive: true, force: true })
}

async function fill(
  { parts, home }: WorkContext,
  draft: BackupLayout,
  options: BackupOptions,
): Promise<BackupHeader> {
  const directories = new Directories(draft.root)
  // Bytes that rows of the snapshot name must be there until they are copied.
  await using _ = parts.blobs.holdRemovals()
  await parts.database.upkeep.snapshot(draft.database)
  const lines = [line(draft, draft.database, await fileDigest(draft.database))]
  const { copies, gone } = await copyBeside(home, draft.beside, directories)
  for (const path of copies) lines.push(line(draft, path, await fileDigest(path)))
  for (const path of gone) options.note(`${path} is gone, and not in the backup.`)
  const copied = await copyBlobs(parts, draft, directories, options)
  const manifest = [...lines, ...copied.lines].join('')
  await writeFile(draft.manifest, manifest, { mode: 0o600, flush: true })
  const header: BackupHeader = {
    format: 1,
    version: await readVersion(),
    created: systemClock.now(),
    ...copied.totals,
    manifest: await fileDigest(draft.manifest),
  }
  const text = `${JSON.stringify(header, undefined, 2)}\n`
  await writeFile(draft.header, text, { mode: 0o600, flush: true })
  await directories.sync()
  return header
}

interface CopiedBlobs {
  readonly lines: readonly string[]
  readonly totals: Pick<BackupHeader, 'schema' | 'blobs' | 'size' | 'damaged'>
}

async function copyBlobs(
  { blobs }: WorkContext['parts'],
  draft: BackupLayout,
  directories: Directories,
  { share, progress, signal }: BackupOptions,
): Promise<CopiedBlobs> {
  using snapshot = openSnapshot(draft.database)
  const lines: string[] = []
  const damaged: string[] = []
  let size = 0
  for await (const blob of snapshot.read.blobs.each()) {
    signal.throwIfAborted()
    const path = await directories.holding(join(draft.root, blobPath(blob.id)))
    const isWhole = await copyWhole(() => blobs.copyOut(blob.id, path, share), path, blob.sha256)
    if (isWhole) lines.push(line(draft, path, blob.sha256))
    else damaged.push(blob.id)
    size += isWhole ? blob.size : 0
    progress(lines.length, size)
  }
  return { lines, totals: { schema: snapshot.schema, blobs: lines.length, size, damaged } }
}

/** False where the bytes are damaged: then there is no copy. */
async function copyWhole(
  copy: () => Promise<void>,
  path: string,
  sha256: string,
): Promise<boolean> {
  try {
    await copy()
  } catch (error) {
    if (isProblem(error, 'damaged_file')) return false
    throw error
  }
  if ((await fileDigest(path)) === sha256) return true
  await rm(path)
  return false
}

/** As sha256sum(1) writes it. */
function line({ root }: BackupLayout, path: string, sha256: string): string {
  return `${sha256}  ${relative(root, path)}\n`
}
