import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { PoolClient } from 'pg'
import { isPrepared } from './prepared.ts'
import { isPlanStale } from './postgres-errors.ts'

/** Statements whose plans a connection keeps, at most. */
const mostNamed = 500

/** One connection to a server, as kysely speaks through it. */
export class ServerConnection implements DatabaseConnection {
  readonly client: PoolClient
  readonly #explain: (error: unknown) => unknown
  readonly #names = new Map<string, string>()
  #named = 0
  #isGathering = false

  /** @param explain makes an error of the service of one of the server */
  constructor(client: PoolClient, explain: (error: unknown) => unknown) {
    this.client = client
    this.#explain = explain
  }

  readonly executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    if (asksForNothing(query)) return { rows: [] }
    try {
      return await this.#run<Row>(query)
    } catch (error) {
      if (!isPlanStale(error)) throw this.#explain(error)
      this.#names.clear()
      // A transaction has ended with the failure: it is a conflict, and the unit is run again.
      if (this.client.getTransactionStatus() !== 'I') throw error
    }
    return this.#run<Row>(query).catch((error: unknown) => {
      throw this.#explain(error)
    })
  }

  streamQuery(): never {
    throw new Error('rows are read in batches, not as a stream')
  }

  async #run<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const name = isPrepared(query) ? this.#nameOf(query.sql) : undefined
    this.#gatherWrites()
    const answer = await this.client.query<Row & object>({
      text: query.sql,
      values: [...query.parameters],
      ...(name !== undefined && { name }),
    })
    const { command, rowCount, rows } = lastOf(answer)
    if (command === 'COMMIT' || command === 'ROLLBACK') return { rows: [{ command } as Row] }
    const isChange = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command)
    return { rows, ...(isChange && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }

  /** Lets what is sent before the event loop goes on leave in one piece. */
  #gatherWrites(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = this.client.connection
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (this.#names.size >= mostNamed) return undefined
    this.#named += 1
    const name = `s${this.#named}`
    this.#names.set(text, name)
    return name
  }
}

/** Of several statements in one text, the answer to the last one. */
function lastOf<Result extends object>(answer: Result | readonly Result[]): Result {
  const last = Array.isArray(answer) ? (answer as readonly Result[]).at(-1) : (answer as Result)
  if (last === undefined) throw new TypeError('there was no statement')
  return last
}

/**
 * Whether a query looks for a text with U+0000, which no text of PostgreSQL has: an address may
 * have one. The server would call that an error.
 */
function asksForNothing({ query, parameters }: CompiledQuery): boolean {
  const isImpossible = (value: unknown) => typeof value === 'string' && value.includes('\0')
  return query.kind === 'SelectQueryNode' && parameters.some(isImpossible)
}

/** Connections, each of which knows the statements that it has prepared. */
export interface ConnectionPool {
  /** @throws {DepositError} storage_unavailable */
  readonly acquire: () => Promise<ServerConnection>
  readonly release: (connection: ServerConnection, isBroken: boolean) => void
  readonly end: () => Promise<void>
}

/** Gives kysely connections, and takes them back. */
export interface Connections {
  readonly acquire: () => Promise<DatabaseConnection>
  readonly release?: (connection: DatabaseConnection, isBroken: boolean) => void
  readonly end?: () => Promise<void>
}

/** A dialect of kysely over connections of ours. */
export function dialectOver(connections: Connections): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new ServerDriver(connections),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

const start = 'start transaction'

/** Whether a query begins a transaction of kysely. */
export function isBegin({ sql }: CompiledQuery): boolean {
  return sql.startsWith(start)
}

class ServerDriver implements Driver {
  readonly #connections: Connections
  readonly #broken = new WeakSet<DatabaseConnection>()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  readonly init = async (): Promise<void> => {}

  readonly acquireConnection = (): Promise<DatabaseConnection> => this.#connections.acquire()

  readonly beginTransaction = async (
    connection: DatabaseConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> => {
    const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`
    const mode = accessMode === undefined ? '' : ` ${accessMode}`
    await connection.executeQuery(CompiledQuery.raw(`${start}${level}${mode}`))
  }

  readonly commitTransaction = async (connection: DatabaseConnection): Promise<void> => {
    const { rows } = await connection.executeQuery<Ended>(CompiledQuery.raw('commit'))
    requireCommitted(rows)
  }

  readonly rollbackTransaction = async (connection: DatabaseConnection): Promise<void> => {
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'))
    } catch (error) {
      this.#broken.add(connection)
      throw error
    }
  }

  readonly releaseConnection = async (connection: DatabaseConnection): Promise<void> =>
    this.#connections.release?.(connection, this.#broken.has(connection))

  readonly destroy = async (): Promise<void> => this.#connections.end?.()
}

/** How a transaction ended: `COMMIT` of one in which a statement failed is a `ROLLBACK`. */
export interface Ended {
  readonly command: string
}

/** @throws {Error} nothing was committed */
export function requireCommitted([ended]: readonly Ended[]): void {
  if (ended?.command !== 'COMMIT') throw new Error('the server rolled the transaction back')
}
