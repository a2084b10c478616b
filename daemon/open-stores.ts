import { openFolderBlobStore } from '../core/adapters/blobs/folder-blob-store.ts'
import { openSnapshot, prepareSnapshot } from '../core/adapters/database/snapshot-file.ts'
import { openSqliteDatabase } from '../core/adapters/database/sqlite-database.ts'
import type { StorageHealth } from '../core/adapters/storage-health.ts'
import type { BlobStore, Database } from '../core/index.ts'
import type { Home } from './home.ts'

/** The rows of a home. @param report told of failures that no caller waits for */
export function openDatabase(
  home: Home,
  report: (error: unknown) => void,
  health?: StorageHealth,
): Promise<Database> {
  return openSqliteDatabase(home.database, report, health)
}

/** The bytes of a home. */
export function openBlobs(home: Home, health?: StorageHealth): Promise<BlobStore> {
  return openFolderBlobStore(home.root, health)
}

export { openSnapshot, prepareSnapshot }
