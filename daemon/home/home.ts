import { constants } from 'node:fs'
import { access, chmod, readFile, realpath, stat } from 'node:fs/promises'
import { createHash, randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { writeTextDurably, makeFolders, requireWritable } from '../../core/base/durable-files.ts'
import { advice } from '../advice.ts'
import { requireLocalFileSystem } from './file-system.ts'
import { requireOwnHome } from './own-files.ts'
import { StartFailure } from '../start-failure.ts'
import { codeOf, isMissing } from '../../core/base/errno.ts'

/** The paths of all that the daemon keeps below `DEPOSIT_HOME`. */
export interface Home {
  readonly root: string
  readonly database: string
  /** `postgres://…`, where the rows are in no file of the home. */
  readonly databaseUrl?: string
  /** `s3://…`, where the bytes and the manifests are in no folder of the home. */
  readonly storageUrl?: string
  readonly blobs: string
  /** A manifest for each revision of each record. */
  readonly records: string
  readonly schemas: string
  /** Search indexes that are too large for memory; they can be rebuilt. */
  readonly search: string
  readonly lock: string
  /** The announcement of the running daemon: pid, url, version, started. */
  readonly announcement: string
  readonly ownerKey: string
  /** The signing keys of the embedded issuer. */
  readonly issuerKeys: string
  readonly logs: string
  /** Files that the configuration is made of, relative to the home. */
  readonly files: readonly string[]
  /** An empty file that is as old as the last backup. */
  readonly lastBackup: string
}

/** The settings of a home. */
export interface HomeOptions {
  /** Whether it may lie on the file system of a network, which is refused otherwise. */
  readonly allowNetworkFs?: boolean
  readonly databaseUrl?: string | undefined
  readonly storageUrl?: string | undefined
  readonly files?: readonly string[]
}

export function homeAt(
  root: string,
  { databaseUrl, storageUrl, files = [] }: HomeOptions = {},
): Home {
  return {
    root,
    files,
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(storageUrl !== undefined && { storageUrl }),
    database: join(root, 'deposit.db'),
    blobs: join(root, 'blobs'),
    records: join(root, 'records'),
    schemas: join(root, 'schemas'),
    search: join(root, 'search'),
    lock: join(root, 'daemon.lock'),
    announcement: join(root, 'daemon.json'),
    ownerKey: join(root, 'owner.key'),
    issuerKeys: join(root, 'issuer.keys'),
    logs: join(root, 'logs'),
    lastBackup: join(root, 'last-backup'),
  }
}

/**
 * Makes the folder where it is missing, for its owner alone. Where it throws, nothing was made.
 *
 * @throws {StartFailure} it or a file in it belongs to another user or can be written by others,
 *   it cannot be made or written, or lies on the file system of a network
 */
export async function prepareHome(root: string, options: HomeOptions = {}): Promise<Home> {
  if (!options.allowNetworkFs) await requireLocalFileSystem(root)
  await orUnusable(root, async () => {
    makeFolders(root, 0o700)
    await requireUsable(root)
    const { mode } = await stat(root)
    if (mode & 0o077) await chmod(root, 0o700)
  })
  return homeAt(root, options)
}

/** True where nothing may be written in a folder: its mode says so, or its file system. */
export async function isReadOnly(root: string): Promise<boolean> {
  try {
    await requireWritable(root)
    return false
  } catch (error) {
    return ['EROFS', 'EACCES', 'EPERM'].includes(codeOf(error))
  }
}

/**
 * Demands of a home what commands need that only read it.
 *
 * @throws {StartFailure}
 */
export async function requireReadableHome(root: string, options: HomeOptions): Promise<void> {
  if (!options.allowNetworkFs) await requireLocalFileSystem(root)
  await orUnusable(root, async () => {
    await requireOwnHome(root)
    await access(root, constants.R_OK | constants.X_OK)
  })
}

/**
 * Demands of a folder that is there what {@link prepareHome} demands, and changes nothing.
 *
 * @throws {StartFailure}
 */
export async function requireUsableHome(root: string): Promise<void> {
  await orUnusable(root, () => requireUsable(root))
}

async function requireUsable(root: string): Promise<void> {
  await requireOwnHome(root)
  await requireWritable(root)
}

/** @throws {StartFailure} in place of an error of the system */
async function orUnusable(root: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof StartFailure) throw error
    if (['EEXIST', 'ENOTDIR'].includes(codeOf(error))) {
      const said = `${root} cannot be the home: it, or a folder above it, is a file.`
      throw new StartFailure('cannot_create', said, { next: advice.useFolder() })
    }
    if (codeOf(error) === 'EROFS') {
      const said = `${root} is on a read-only file system.`
      throw new StartFailure('cannot_create', said, { next: advice.copyHome(root), cause: error })
    }
    const isDenied = ['EACCES', 'EPERM'].includes(codeOf(error))
    const reason = isDenied ? 'no_permission' : 'cannot_create'
    throw new StartFailure(reason, `${root} cannot be used: ${messageOf(error)}`, { cause: error })
  }
}

/** True where others may replace the home by one of their own. */
export async function isParentOpen(root: string): Promise<boolean> {
  const { mode } = await stat(dirname(await realpath(root)))
  const isSticky = (mode & 0o1000) !== 0
  return (mode & 0o002) !== 0 && !isSticky
}

/** The key that only the owner of the machine's account can read; made on first use. */
export async function ownerKey({ ownerKey: path }: Home): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const key = randomBytes(32).toString('hex')
  await writeTextDurably(path, `${key}\n`)
  return key
}

/** Tells the daemons of several homes apart; the same after each start, and no secret. */
export async function daemonName(home: Home): Promise<string> {
  const key = await ownerKey(home)
  return createHash('sha256').update(`daemon ${key}`).digest('hex').slice(0, 24)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
