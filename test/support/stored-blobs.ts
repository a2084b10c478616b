import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'

const smallName = 'small-blobs.db'

/**
 * Paths of the blobs in a home or a backup, sorted by id. What is small is a row: its path is that
 * of the database file with the id behind it.
 */
export async function blobsIn(home: string): Promise<readonly string[]> {
  const paths = [...(await filesIn(join(home, 'blobs'))), ...rowsIn(join(home, smallName))]
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

/** Changes the row of a small blob behind the back of the service, which must see it named `@id`. */
export function editSmall(path: string, sql: string, values: Readonly<object> = {}): void {
  const sqlite = new Sqlite(dirname(path))
  sqlite.prepare(sql).run({ id: basename(path), ...values })
  sqlite.close()
}

export function readSmall(path: string): Buffer {
  const sqlite = new Sqlite(dirname(path), { readonly: true })
  const query = sqlite.prepare<[string], Buffer>('SELECT bytes FROM blobs WHERE id = ?').pluck()
  const bytes = query.get(basename(path))
  sqlite.close()
  if (!bytes) throw new Error(`There is no ${path}`)
  return bytes
}

function rowsIn(path: string): readonly string[] {
  if (!existsSync(path)) return []
  const sqlite = new Sqlite(path, { readonly: true })
  const ids = sqlite.prepare<[], string>('SELECT id FROM blobs').pluck().all()
  sqlite.close()
  return ids.map((id) => join(path, id))
}
