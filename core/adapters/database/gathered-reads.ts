import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { gatheredBy } from './prepared.ts'
import { isBegin, type ConnectionPool } from './server-connection.ts'

/** Rows asked for by one statement, at most. */
const mostAtOnce = 100

/** Requests of rows by one key each, which one statement will answer. */
interface Gathering {
  readonly query: CompiledQuery
  readonly column: string
  readonly rows: Map<string, PromiseWithResolvers<readonly unknown[]>>
}

/**
 * A connection for readers: each statement runs on one of the pool. What requests that arrive at the
 * same time ask for by a key, such as their tokens, is asked for by one statement for all of them. It
 * runs after the last of them has asked, so each sees rows at least as new as if it had run its own.
 */
export class GatheredReads implements DatabaseConnection {
  readonly #pool: ConnectionPool
  readonly #gatherings = new Map<string, Gathering>()

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  readonly executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    if (isBegin(query)) throw new Error('readers begin no transaction')
    const column = gatheredBy(query)
    const [key, ...further] = query.parameters
    if (column === undefined || typeof key !== 'string' || further.length > 0)
      return this.#run<Row>(query)
    // No text has it: see `asksForNothing`.
    if (key.includes('\0')) return { rows: [] }
    const { rows } = this.#join(query, column, key)
    return { rows: [...((await rows.promise) as readonly Row[])] }
  }

  streamQuery(): never {
    throw new Error('rows are read in batches, not as a stream')
  }

  #join(query: CompiledQuery, column: string, key: string) {
    let gathering = this.#gatherings.get(query.sql)
    if (gathering === undefined || gathering.rows.size >= mostAtOnce) {
      gathering = { query, column, rows: new Map() }
      this.#gatherings.set(query.sql, gathering)
      const begun = gathering
      // After the requests that have arrived by now.
      setImmediate(() => void this.#ask(begun))
    }
    const rows = gathering.rows.get(key) ?? Promise.withResolvers<readonly unknown[]>()
    gathering.rows.set(key, rows)
    return { rows }
  }

  async #ask(gathering: Gathering): Promise<void> {
    const { query, column, rows } = gathering
    if (this.#gatherings.get(query.sql) === gathering) this.#gatherings.delete(query.sql)
    try {
      const found = await this.#run<Record<string, unknown>>(forAll(query, [...rows.keys()]))
      const byKey = Map.groupBy(found.rows, (row) => row[column])
      for (const [key, { resolve }] of rows) resolve(byKey.get(key) ?? [])
    } catch (error) {
      for (const { reject } of rows.values()) reject(error)
    }
  }

  async #run<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const connection = await this.#pool.acquire()
    try {
      return await connection.executeQuery<Row>(query)
    } finally {
      this.#pool.release(connection, false)
    }
  }
}

/** The query for rows of all keys in place of one. */
function forAll(query: CompiledQuery, keys: readonly string[]): CompiledQuery {
  const sql = query.sql.replace(/= \$1(?!\d)|in \(\$1\)/, '= any($1)')
  return { ...query, sql, parameters: [keys] }
}
