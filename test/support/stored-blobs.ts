import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'

const smallName = 'small-blobs.db'

/**
 * Paths of the blobs in a home or a backup, sorted by id. Small blobs are rows: their path is that
 * of the database file followed by the id.
 */
export async function blobsIn(home: string): Promise<readonly string[]> {
  const files = await filesIn(join(home, 'blobs'))
  // Beside them, the mark of the folder.
  const ofBlobs = files.filter((path) => !basename(path).startsWith('.'))
  const paths = [...ofBlobs, ...rowsIn(join(home, smallName))]
  const byId = (one: string, other: string): number => basename(one).localeCompare(basename(other))
  return paths.sort(byId)
}

/** Paths of all files below a folder. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}

export function isSmall(path: string): boolean {
  return basename(dirname(path)) === smallName
}

/** Changes the row of a small blob without the service; the statement has the id as `@id`. */
export function editSmall(path: string, sql: string, values: Readonly<object> = {}): void {
  const sqlite = new Sqlite(dirname(path))
  sqlite.prepare(sql).run({ id: basename(path), ...values })
  sqlite.close()
}

export function readSmall(path: string): Buffer {
  const bytes = look(dirname(path), (sqlite) =>
    sqlite
      .prepare<[string], Buffer>('SELECT bytes FROM blobs WHERE id = ?')
      .pluck()
      .get(basename(path)),
  )
  if (!bytes) throw new Error(`There is no ${path}`)
  return bytes
}

function rowsIn(path: string): readonly string[] {
  if (!existsSync(path)) return []
  const ids = look(path, (sqlite) =>
    sqlite.prepare<[], string>('SELECT id FROM blobs').pluck().all(),
  )
  return ids.map((id) => join(path, id))
}

/** Reads a copy: a running daemon locks the file itself. */
function look<Answer>(path: string, query: (sqlite: Sqlite.Database) => Answer): Answer {
  const folder = mkdtempSync(join(tmpdir(), 'deposit-look-'))
  const copy = join(folder, smallName)
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(path + end)) copyFileSync(path + end, copy + end)
    }
    const sqlite = new Sqlite(copy)
    try {
      return query(sqlite)
    } finally {
      sqlite.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
