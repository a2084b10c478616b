// oxlint-disable-next-line no-restricted-imports -- a lock that other processes see is what `connect` avoids
import Sqlite from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileIdentity } from '../../core/base/file-identity.ts'
import { advice } from '../advice.ts'
import type { Home } from './home.ts'
import { StartFailure } from '../start-failure.ts'

export interface HomeLock extends Disposable {
  /** False if the home was removed, moved away or replaced: files written there are lost. */
  readonly isInPlace: () => Promise<boolean>
}

/**
 * Keeps daemons from starting on a home in which nothing may be written, until it is disposed of.
 * Others may read there too.
 *
 * @throws {StartFailure} another process has it; the message names it
 */
export async function lockForReading(home: Home): Promise<Disposable> {
  // Each daemon leaves the file there.
  if (!existsSync(home.lock)) return { [Symbol.dispose]: () => {} }
  const lock = new Sqlite(home.lock, { timeout: 0, readonly: true })
  try {
    lock.exec('BEGIN')
    lock.prepare('SELECT count(*) FROM sqlite_master').get()
  } catch (error) {
    lock.close()
    throw await explain(home, error)
  }
  return { [Symbol.dispose]: () => lock.close() }
}

/**
 * Takes the home for this process alone, until it is disposed of or the process ends, however it
 * ends: the lock is the operating system's, held through SQLite, which Node has no call of its own
 * for. So nothing stale is left behind by kill -9 or a reboot.
 *
 * @throws {StartFailure} another process has it; the message names it
 */
export async function lockHome(home: Home): Promise<HomeLock> {
  const lock = new Sqlite(home.lock, { timeout: 0 })
  try {
    lock.pragma('journal_mode = memory')
    lock.exec('BEGIN EXCLUSIVE')
    // The process that wrote this before is dead, and must not be named for us.
    await rm(home.announcement, { force: true })
  } catch (error) {
    lock.close()
    throw await explain(home, error)
  }
  const own = await fileIdentity(home.lock)
  return {
    isInPlace: async () => (await fileIdentity(home.lock)) === own,
    [Symbol.dispose]: () => lock.close(),
  }
}

/** Whether another process has the home in a folder of this machine, as far as this one can tell. */
export async function isUsedByAnother(root: string, own: Home): Promise<boolean> {
  const lock = join(root, basename(own.lock))
  const [there, here] = await Promise.all([lock, own.lock].map(fileIdentity))
  if (there === undefined || there === here) return false
  try {
    const held = await lockForReading({ ...own, lock })
    held[Symbol.dispose]()
    return false
  } catch (error) {
    return error instanceof StartFailure
  }
}

async function explain(home: Home, error: unknown): Promise<unknown> {
  if (!(error instanceof Sqlite.SqliteError) || error.code !== 'SQLITE_BUSY') return error
  const said = `Another depositd uses ${home.root}${await describe(home)}.`
  return new StartFailure('busy', said, { next: advice.stopDaemon() })
}

async function describe(home: Home): Promise<string> {
  const text = await readFile(home.announcement, 'utf8').catch(() => '')
  const found = /"pid":\s*(\d+).*"url":\s*"([^"]+)"/s.exec(text)
  return found ? ` (process ${found[1]}, ${found[2]})` : ''
}
