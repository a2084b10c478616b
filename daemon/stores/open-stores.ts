import { existsSync } from 'node:fs'
import type { Pool } from 'pg'
import type { CopyRowsOptions, RowsAt } from '../../core/adapters/database/copy-rows.ts'
import {
  openSnapshot,
  prepareSnapshot,
  stateOfSchema,
  type SchemaState,
} from '../../core/adapters/database/snapshot-file.ts'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import type { StorageHealth } from '../../core/adapters/storage-health.ts'
import { accountable, unfinishedNote, type Database, type ReadRows } from '../../core/index.ts'
import type { Home } from '../home/home.ts'
import { StartFailure } from '../start-failure.ts'

/**
 * The rows of a home: in PostgreSQL where the configuration names one, else in a file.
 *
 * @param report called with failures that no caller waits for
 * @param notice told when a server goes away and when it is back
 */
export async function openDatabase(
  home: Home,
  report: (error: unknown) => void,
  health?: StorageHealth,
  notice?: (text: string) => void,
): Promise<Database> {
  return accountable(await openRows(home, report, health, notice))
}

async function openRows(
  home: Home,
  report: (error: unknown) => void,
  health?: StorageHealth,
  notice?: (text: string) => void,
): Promise<Database> {
  if (home.databaseUrl === undefined) return openSqliteDatabase(home.database, report, health)
  const { openPostgresDatabase } = await import('../../core/adapters/postgres/postgres-database.ts')
  return openPostgresDatabase(home.databaseUrl, report, notice)
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

/** A table that is not ours where new rows of a home would be made; undefined if there is none. */
export async function findForeignTable({ databaseUrl }: Home): Promise<string | undefined> {
  if (databaseUrl === undefined) return undefined
  const { foreignTable } = await import('../../core/adapters/postgres/migrate-postgres.ts')
  return foreignTable(databaseUrl)
}

/**
 * Deposits that cannot be reached are as good as lost.
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
  await using rows = await openReaders(home)
  await requireEndpoints(rows.read.deposits, known)
}

/** The rows of a home whose schema is this program's. Nothing is changed. */
export async function openReaders(home: Home): Promise<ReadRows> {
  if (home.databaseUrl !== undefined) {
    const { postgresReaders } = await import('../../core/adapters/postgres/migrate-postgres.ts')
    return postgresReaders(home.databaseUrl)
  }
  const snapshot = openSnapshot(home.database)
  return { read: snapshot.read, [Symbol.asyncDispose]: async () => snapshot[Symbol.dispose]() }
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

/** Copies the rows of a home into those of another, which has none: then they are finished. */
export async function copyAllRows(
  from: Home,
  to: Home,
  options: Omit<CopyRowsOptions, 'note'>,
): Promise<number> {
  const { copyRows } = await import('../../core/adapters/database/copy-rows.ts')
  return copyRows(rowsOf(from), rowsOf(to), { ...options, note: unfinishedNote })
}

/**
 * Whether a home has the rows of another, as {@link copyAllRows} brings them there.
 *
 * @returns how many there are; undefined where they differ
 */
export async function countCopied(
  from: Home,
  to: Home,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { countSame } = await import('../../core/adapters/database/copy-rows.ts')
  return countSame(rowsOf(from), rowsOf(to), signal)
}

function rowsOf({ database: file, databaseUrl: url }: Home): RowsAt {
  return url === undefined ? { file } : { url }
}

export { openSnapshot, prepareSnapshot }
