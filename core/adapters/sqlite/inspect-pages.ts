import type Sqlite from 'better-sqlite3'

/** What SQLite itself can tell: its pages have no digests, so it does not see every change. */
export function inspectPages(sqlite: Sqlite.Database, depth: 'quick' | 'full'): readonly string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check'
  const messages = sqlite.prepare(`PRAGMA ${pragma}`).pluck().all().map(String)
  return messages.filter((message) => message !== 'ok')
}
