import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pathOfBlob } from '../../stores/storages.ts'

/** The path of each part of a backup below its folder. */
export interface BackupLayout {
  readonly root: string
  /** The header of the backup: {@link BackupHeader}. */
  readonly header: string
  /** A line for each file, as sha256sum(1) writes and checks them. */
  readonly manifest: string
  readonly database: string
  /** Files that lie in the home beside the database, where it had them. */
  readonly beside: string
}

export function backupAt(root: string): BackupLayout {
  return {
    root,
    header: join(root, 'backup.json'),
    manifest: join(root, 'manifest-sha256.txt'),
    database: join(root, 'deposit.db'),
    beside: join(root, 'home'),
  }
}

/** The header of a backup. */
export interface BackupHeader {
  readonly format: 1
  /** Of the program that made it. */
  readonly version: string
  /** ISO 8601, UTC. */
  readonly created: string
  /** The number of migrations applied to the database. */
  readonly schema: number
  readonly blobs: number
  /** Bytes of all blobs. */
  readonly size: number
  /** Ids of blobs that were damaged already: the backup has none of their bytes. */
  readonly damaged: readonly string[]
  /** SHA-256 of the manifest. */
  readonly manifest: string
}

/** Path of a blob below the folder of a backup, and of a home. */
export function blobPath(id: string): string {
  return pathOfBlob('blobs', id)
}

/** SHA-256 of a file: 64 hexadecimal digits. */
export async function fileDigest(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const options = { highWaterMark: 512 * 1024, ...(signal && { signal }) }
  for await (const chunk of createReadStream(path, options) as AsyncIterable<Buffer>) {
    hash.update(chunk)
  }
  return hash.digest('hex')
}
