import { CompiledQuery, Kysely, PostgresDialect, type DatabaseConnection } from 'kysely'
import { Client, Pool, types, type ClientConfig, type PoolConfig } from 'pg'
import { passwordOf } from './pgpass.ts'
import { explainPostgresError } from './postgres-errors.ts'
import type { Tables } from './schema/tables.ts'

export interface PostgresOptions {
  readonly connections: number
  /** Lets statements take as long as they take: for migrations, and for reading everything. */
  readonly isPatient?: boolean
  /** Told of each failure, as it is explained to callers. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * Milliseconds. The server's own limits come first; `query_timeout` is for one that has gone without
 * a word.
 */
const limits = {
  statement_timeout: 15_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
  query_timeout: 20_000,
} as const satisfies PoolConfig

const connectionTimeoutMillis = 10_000

/** A query builder over a pool of connections, which are made when they are needed. */
export function openPostgres(url: string, options: PostgresOptions): Kysely<Tables> {
  const explain = (error: unknown): unknown => {
    const explained = explainPostgresError(error)
    options.onFailure?.(explained)
    return explained
  }
  const pool = createPool(url, options)
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: {
        options: pool.options,
        end: () => pool.end(),
        connect: async () => {
          try {
            return await pool.connect()
          } catch (error) {
            throw explain(error)
          }
        },
      },
      onCreateConnection: async (connection) => explainFailures(connection, explain),
    }),
  })
}

/** Runs SQL whose parameters are written `?`, which stands for nothing else in ours. */
export async function runSql<Row>(
  db: Kysely<Tables>,
  { sql, values }: { readonly sql: string; readonly values: readonly unknown[] },
): Promise<readonly Row[]> {
  let number = 0
  const numbered = sql.replaceAll('?', () => `$${(number += 1)}`)
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(numbered, [...values]))
  return rows
}

/** Connections without a query builder, made when they are needed. */
export function createPool(
  url: string,
  { connections, isPatient = false }: Pick<PostgresOptions, 'connections' | 'isPatient'>,
): Pool {
  const pool = new Pool({
    Client: OwnClient,
    connectionString: url,
    max: connections,
    application_name: 'depositd',
    keepAlive: true,
    connectionTimeoutMillis,
    types: { getTypeParser },
    ...(isPatient ? {} : limits),
  })
  // A connection that breaks off is left out of the pool; its next query, if any, says so.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Reads the password file by itself: the library warns each time that it will no longer do so. Closes
 * a connection that was refused, which the library leaves to the server: for a minute, if the
 * password is missing.
 */
class OwnClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config)
    const { host, port, database = '', user = '' } = this
    const asked = { host, port, database, user }
    if (!this.password) Object.assign(this, { password: () => passwordOf(asked) })
    this.connection.on('error', () => this.connection.stream.destroy())
  }
}

/** As `types.getTypeParser`, but `bigint` is a number: nothing we count comes near 2^53. */
const getTypeParser: typeof types.getTypeParser = (id: number, format?: 'text' | 'binary') => {
  const parser: unknown = types.getTypeParser(id, format)
  return id === types.builtins.INT8 && format !== 'binary' ? Number : parser
}

function explainFailures(
  connection: DatabaseConnection,
  explain: (error: unknown) => unknown,
): void {
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection)
  connection.executeQuery = async <Row>(query: CompiledQuery, options?: ExecuteOptions) => {
    if (asksForNothing(query)) return { rows: [] }
    try {
      return await execute<Row>(query, options)
    } catch (error) {
      throw explain(error)
    }
  }
}

type ExecuteOptions = Parameters<DatabaseConnection['executeQuery']>[1]

/**
 * Whether a query looks for a text with U+0000, which no text of PostgreSQL has: an address may
 * have one. The server would call that an error.
 */
function asksForNothing({ query, parameters }: CompiledQuery): boolean {
  const isImpossible = (value: unknown) => typeof value === 'string' && value.includes('\0')
  return query.kind === 'SelectQueryNode' && parameters.some(isImpossible)
}
