import type Sqlite from 'better-sqlite3'
import { once } from 'node:events'
import { startThread } from '../../base/threads.ts'

/** Faults that SQLite finds, a sentence each. Its pages have no digests, so it does not see every change. */
export function inspectPages(sqlite: Sqlite.Database, depth: 'quick' | 'full'): readonly string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check'
  const messages = sqlite.prepare(`PRAGMA ${pragma}`).pluck().all().map(String)
  return messages.filter((message) => message !== 'ok')
}

/** The same of the database file at `path`, all of it, on a thread of its own. */
export async function inspectFile(path: string): Promise<readonly string[]> {
  const options = { name: 'inspect', workerData: path }
  const worker = startThread(import.meta.url, 'inspect-worker', options)
  const [messages] = (await once(worker, 'message')) as [readonly string[]]
  return messages
}
