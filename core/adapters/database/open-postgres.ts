import { CompiledQuery, Kysely } from 'kysely'
import { Client, Pool, types, type ClientConfig, type PoolClient, type PoolConfig } from 'pg'
import { problem } from '../../errors/errors.ts'
import { passwordOf } from './pgpass.ts'
import { explainPostgresError } from './postgres-errors.ts'
import { GatheredReads } from './gathered-reads.ts'
import { blindChange, runBy, runnerOf } from './prepared.ts'
import { dialectOver, ServerConnection, type ConnectionPool } from './server-connection.ts'
import type { Tables } from './schema/tables.ts'

export interface PostgresOptions {
  readonly connections: number
  /** Lets statements take as long as they take: for migrations, and for reading everything. */
  readonly isPatient?: boolean
  /** Sends a statement while those before it are still being answered. */
  readonly isPipelined?: boolean
  /** Commits without waiting for the disk: for rows that others, committed later, rely upon. */
  readonly isHasty?: boolean
  /** For searches: lets the planner take an index where reading the whole table seems as quick. */
  readonly isLookingUp?: boolean
  /** For readers, who begin no transactions: asks for rows of several of them at once. */
  readonly isGathering?: boolean
  /** Told of each failure, as it is explained to callers. */
  readonly onFailure?: (error: unknown) => void
  /** Milliseconds to wait for a connection. */
  readonly patienceMs?: number
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

/** Milliseconds. */
const patience = 10_000

const hasty = 'synchronous_commit=off'

/** A page anywhere costs hardly more than the next one, in memory and on a disk that does not turn. */
const lookingUp = 'random_page_cost=1.1'

/** A query builder over a pool of connections, which are made when they are needed. */
export function openPostgres(url: string, options: PostgresOptions): Kysely<Tables> {
  const pool = openConnections(url, options)
  if (options.isGathering) {
    const reads = new GatheredReads(pool)
    const dialect = dialectOver({ acquire: async () => reads, end: pool.end })
    return runBy(new Kysely<Tables>({ dialect }), reads)
  }
  return new Kysely<Tables>({
    dialect: dialectOver({
      acquire: pool.acquire,
      release: (connection, isBroken) => {
        if (connection instanceof ServerConnection) pool.release(connection, isBroken)
      },
      end: pool.end,
    }),
  })
}

export function openConnections(url: string, options: PostgresOptions): ConnectionPool {
  const explain = (error: unknown): unknown => {
    const explained = explainPostgresError(error)
    options.onFailure?.(explained)
    return explained
  }
  const pool = createPool(url, options)
  const known = new WeakMap<PoolClient, ServerConnection>()
  let lastReturned = -Infinity
  return {
    acquire: async () => {
      const began = performance.now()
      try {
        const client = await pool.connect()
        const connection = known.get(client) ?? new ServerConnection(client, explain)
        known.set(client, connection)
        return connection
      } catch (error) {
        // The server did answer others: there were only too many of them.
        if (isTimeOut(error) && lastReturned > began) throw problem('overloaded', { cause: error })
        throw explain(error)
      }
    },
    release: ({ client }, isBroken) => {
      if (!isBroken) lastReturned = performance.now()
      client.release(isBroken)
    },
    end: () => pool.end(),
  }
}

/** Whether there was no connection in time, made or given back by others. */
function isTimeOut(error: unknown): boolean {
  return (
    error instanceof Error && /^timeout exceeded|due to connection timeout$/.test(error.message)
  )
}

/** SQL whose parameters are written `?`, which stands for nothing else in ours. */
interface Sql {
  readonly sql: string
  readonly values: readonly unknown[]
}

export async function runSql<Row>(db: Kysely<Tables>, sql: Sql): Promise<readonly Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(numbered(sql), [...sql.values]))
  return rows
}

/** A change as {@link runSql}, which is prepared, and whose answer nobody waits for in a unit. */
export async function runBlind(db: Kysely<Tables>, sql: Sql): Promise<void> {
  await runnerOf(db).executeQuery(blindChange(numbered(sql), sql.values))
}

/** Texts whose parameters are numbered, at most: those that are run again and again are few. */
const mostNumbered = 500

const numberedTexts = new Map<string, string>()

function numbered({ sql }: Sql): string {
  const known = numberedTexts.get(sql)
  if (known !== undefined) return known
  let number = 0
  const text = sql.replaceAll('?', () => `$${(number += 1)}`)
  if (numberedTexts.size < mostNumbered) numberedTexts.set(sql, text)
  return text
}

/** Connections without a query builder, made when they are needed. */
export function createPool(
  url: string,
  {
    connections,
    isPatient = false,
    isPipelined = false,
    isHasty = false,
    isLookingUp = false,
    patienceMs = patience,
  }: Omit<PostgresOptions, 'onFailure'>,
): Pool {
  const settings = [...(isHasty ? [hasty] : []), ...(isLookingUp ? [lookingUp] : [])]
  const pool = new Pool({
    Client: OwnClient,
    connectionString: url,
    max: connections,
    application_name: 'depositd',
    keepAlive: true,
    connectionTimeoutMillis: patienceMs,
    pipeline: isPipelined,
    types: { getTypeParser },
    ...(isPatient ? {} : limits),
    ...(settings.length > 0 && { options: settings.map((each) => `-c ${each}`).join(' ') }),
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
