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

/** The bytes of a home. */
export function openBlobs(home: Home, health?: StorageHealth): Promise<BlobStore> {
  return openFolderBlobStore(home.root, health)
}

/** What is known of each record beside its rows. */
export function openManifests(home: Home): ManifestStore {
  return openFolderManifests(home.records)
}

export { openSnapshot, prepareSnapshot }
