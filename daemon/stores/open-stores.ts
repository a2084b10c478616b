import { existsSync } from 'node:fs'
import type { Pool } from 'pg'
import { openFolderBlobStore } from '../../core/adapters/blobs/folder-blob-store.ts'
import type { CopyRowsOptions, RowsAt } from '../../core/adapters/database/copy-rows.ts'
import {
  openSnapshot,
  prepareSnapshot,
  stateOfSchema,
  type SchemaState,
} from '../../core/adapters/database/snapshot-file.ts'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { openFolderManifests } from '../../core/adapters/manifests/folder-manifest-store.ts'
import type { StorageHealth } from '../../core/adapters/storage-health.ts'
import { systemClock, type BlobStore, type Database, type ManifestStore } from '../../core/index.ts'
import type { ConfigFaults } from '../config/faults.ts'
import type { Home } from '../home/home.ts'
import { StartFailure } from '../start-failure.ts'

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
  const { openPostgresDatabase } = await import('../../core/adapters/postgres/postgres-database.ts')
  return openPostgresDatabase(home.databaseUrl, report)
}

/**
 * Looks at the schema of the rows of a home, and changes nothing.
 *
 * @throws {DatabaseTooNew}
 */
export async function schemaState({ database, databaseUrl }: Home): Promise<SchemaState> {
  if (databaseUrl !== undefined) {
    const { postgresSchema } = await import('../../core/adapters/postgres/migrate-postgres.ts')
    return stateOfSchema(await postgresSchema(databaseUrl))
  }
  if (!existsSync(database)) return 'none'
  using snapshot = openSnapshot(database)
  return stateOfSchema(snapshot.schema)
}

/**
 * Deposits that nobody can reach are as good as lost.
 *
 * @throws {StartFailure} there are deposits of an endpoint that is not configured
 */
export async function requireEndpoints(
  deposits: Pick<Database['read']['deposits'], 'otherPidTypes'>,
  known: readonly string[],
): Promise<void> {
  const others = await deposits.otherPidTypes(known)
  if (others.length === 0) return
  throw new StartFailure(
    'config',
    `There are deposits with identifiers of the type ${others.join(', ')}, but no endpoint for them: ` +
      `DEPOSIT_REST_ENDPOINTS has ${known.join(', ')}. Configure the endpoint they were made with again.`,
  )
}

/**
 * The same, of rows that no daemon has opened yet, or that one has open. Nothing is changed.
 *
 * @throws {StartFailure}
 */
export async function requireEndpointsIn(home: Home, known: readonly string[]): Promise<void> {
  if ((await schemaState(home)) !== 'current') return
  if (home.databaseUrl !== undefined) {
    const { postgresDeposits } = await import('../../core/adapters/postgres/migrate-postgres.ts')
    await using deposits = postgresDeposits(home.databaseUrl)
    await requireEndpoints(deposits, known)
    return
  }
  using snapshot = openSnapshot(home.database)
  await requireEndpoints(snapshot.deposits, known)
}

/**
 * Asks the bucket that a configuration names whether it answers, and changes nothing there.
 *
 * @param faults told where it does not, or refuses
 */
export async function requireAnswer({ storageUrl }: Home, faults: ConfigFaults): Promise<void> {
  if (storageUrl === undefined) return
  await faults.of(async () => {
    const { openBucket } = await import('../../core/adapters/blobs/s3/open-bucket.ts')
    const bucket = await openBucket(storageUrl, () => {}, false)
    bucket[Symbol.dispose]()
  })
}

/** Counts guesses for all daemons on the same rows; undefined where there is only one. */
export async function openCounts(home: Home): Promise<CountStore | undefined> {
  if (home.databaseUrl === undefined) return undefined
  const { createPool } = await import('../../core/adapters/database/open-postgres.ts')
  const pool = createPool(home.databaseUrl, { connections: 2 })
  return { pool, [Symbol.asyncDispose]: () => pool.end() }
}

export interface CountStore extends AsyncDisposable {
  readonly pool: Pool
}

/** Copies the rows of a home into those of another, which has none. */
export async function copyAllRows(from: Home, to: Home, options: CopyRowsOptions): Promise<number> {
  const { copyRows } = await import('../../core/adapters/database/copy-rows.ts')
  return copyRows(rowsOf(from), rowsOf(to), options)
}

function rowsOf({ database: file, databaseUrl: url }: Home): RowsAt {
  return url === undefined ? { file } : { url }
}

/** Options for opening the store of bytes. */
export interface BlobOptions {
  /** Where it says what is about to be written. */
  readonly database: Database
  readonly health?: StorageHealth
  /** Told of failures that no caller waits for. */
  readonly report?: (error: unknown) => void
  /** Told what an operator should know of the store. */
  readonly notice?: (text: string) => void
}

/** The bytes of a home: in a bucket where the configuration names one, else in a folder. */
export async function openBlobs(
  home: Home,
  { database, health, report = () => {}, notice = () => {} }: BlobOptions,
): Promise<BlobStore> {
  if (home.storageUrl === undefined)
    return openFolderBlobStore(home.root, report, health, home.blobs)
  const { openS3 } = await import('../../core/adapters/blobs/s3/open-s3.ts')
  return openS3(home.storageUrl, { home: home.root, database, clock: systemClock, notice })
}

/** Opens the manifests: for each record, beside its rows, where its bytes are. */
export async function openManifests(home: Home): Promise<ManifestStore> {
  if (home.storageUrl === undefined) return openFolderManifests(home.records)
  const { openBucket } = await import('../../core/adapters/blobs/s3/open-bucket.ts')
  const { openS3Manifests } = await import('../../core/adapters/manifests/s3-manifest-store.ts')
  return openS3Manifests(await openBucket(home.storageUrl, () => {}))
}

export { openSnapshot, prepareSnapshot }
