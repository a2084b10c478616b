import { readFile } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import { OperatorFailure } from '../command/operator-failure.ts'
import { backupAt, fileDigest } from './layout.ts'
import type { BackupHeader, BackupLayout } from './layout.ts'

/** A backup whose parts are named, and not read yet. */
export interface Backup {
  readonly layout: BackupLayout
  readonly header: BackupHeader
  /** SHA-256 of each file by its path below the folder. */
  readonly digests: ReadonlyMap<string, string>
}

/** @throws {OperatorFailure} there is no backup at `root`, or its manifest was changed */
export async function readBackup(root: string): Promise<Backup> {
  const layout = backupAt(root)
  const header = await readHeader(layout)
  const text = await readFile(layout.manifest, 'utf8').catch(() => {
    throw new OperatorFailure(`${layout.manifest} is missing.`)
  })
  if ((await fileDigest(layout.manifest)) !== header.manifest) {
    throw new OperatorFailure(`${layout.manifest} was changed after the backup was made.`)
  }
  return { layout, header, digests: parseManifest(layout, text) }
}

async function readHeader({ header: path, root }: BackupLayout): Promise<BackupHeader> {
  try {
    const header = JSON.parse(await readFile(path, 'utf8')) as BackupHeader
    if (header.format === 1) return header
  } catch {
    throw new OperatorFailure(`${root} is not a backup, or is incomplete.`)
  }
  throw new OperatorFailure(`${root} is a backup of a newer program.`)
}

function parseManifest({ root, manifest }: BackupLayout, text: string) {
  const digests = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, sha256, path] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
    const isInside = path !== undefined && join(root, path) === join(root, normalize(`/${path}`))
    if (sha256 === undefined || !isInside) {
      throw new OperatorFailure(`${manifest} has an invalid line: ${line}`)
    }
    digests.set(path, sha256)
  }
  return digests
}
