import type { Pool } from 'pg'
import { openFolderBlobStore } from '../core/adapters/blobs/folder-blob-store.ts'
import { openSnapshot, prepareSnapshot } from '../core/adapters/database/snapshot-file.ts'
import { openSqliteDatabase } from '../core/adapters/database/sqlite-database.ts'
import { openFolderManifests } from '../core/adapters/manifests/folder-manifest-store.ts'
import type { StorageHealth } from '../core/adapters/storage-health.ts'
import type { BlobStore, Database, ManifestStore } from '../core/index.ts'
import type { Home } from './home.ts'

/**
 * The rows of a home: in PostgreSQL where the configuration names one, else in a file.
 *
 * @param report told of failures that no caller waits for
 */
export async function openDatabase(
  home: Home,
  report: (error: unknown) => void,
  health?: StorageHealth,
): Promise<Database> {
  if (home.databaseUrl === undefined) return openSqliteDatabase(home.database, report, health)
  const { openPostgresDatabase } = await import('../core/adapters/database/postgres-database.ts')
  return openPostgresDatabase(home.databaseUrl, report)
}

/** What counts guesses for all daemons on the same rows; undefined where there is but one. */
export async function openCounts(home: Home): Promise<CountStore | undefined> {
  if (home.databaseUrl === undefined) return undefined
  const { createPool } = await import('../core/adapters/database/open-postgres.ts')
  const pool = createPool(home.databaseUrl, { connections: 2 })
  return { pool, [Symbol.asyncDispose]: () => pool.end() }
}

export interface CountStore extends AsyncDisposable {
  readonly pool: Pool
}

/** The bytes of a home. */
export function openBlobs(home: Home, health?: StorageHealth): Promise<BlobStore> {
  return openFolderBlobStore(home.root, health)
}

/** What is known of each record beside its rows. */
export function openManifests(home: Home): ManifestStore {
  return openFolderManifests(home.records)
}

export { openSnapshot, prepareSnapshot }
