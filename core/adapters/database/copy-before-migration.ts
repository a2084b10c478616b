import type Sqlite from 'better-sqlite3'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncPath } from '../../base/durable-files.ts'
import { connect, pathOf, versionOf } from '../sqlite/connect.ts'

/** Copies kept; the oldest are removed first. */
const kept = 3

const copyName = /^pre-\d+-\d+-(.+)\.db$/

/**
 * Keeps a verified copy of the database beside it, in `backup/pre-<from>-<to>-<time>.db`.
 *
 * @throws {Error} the copy cannot be made or is not sound: then nothing may be migrated
 */
export async function keepCopy(sqlite: Sqlite.Database, from: number, to: number): Promise<void> {
  const folder = join(dirname(pathOf(sqlite)), 'backup')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const path = join(folder, `pre-${from}-${to}-${time}.db`)
  const draft = `${path}.incomplete`
  await rm(draft, { force: true })
  sqlite.prepare('VACUUM INTO ?').run(draft)
  requireSound(draft, from)
  await syncPath(draft)
  await rename(draft, path)
  await syncPath(folder)
  await syncPath(dirname(folder))
  await removeOldest(folder)
}

function requireSound(path: string, version: number): void {
  const copy = connect(path, { readonly: true })
  try {
    const verdict: unknown = copy.pragma('integrity_check(1)', { simple: true })
    const found = versionOf(copy)
    if (verdict === 'ok' && found === version) return
    throw new Error(`The database was not migrated: its copy is not sound (${String(verdict)})`)
  } finally {
    copy.close()
  }
}

async function removeOldest(folder: string): Promise<void> {
  const timeOf = (name: string): string => copyName.exec(name)?.[1] ?? ''
  const copies = (await readdir(folder)).filter((name) => copyName.test(name))
  copies.sort((one, other) => timeOf(other).localeCompare(timeOf(one)))
  for (const name of copies.slice(kept)) await rm(join(folder, name), { force: true })
}
