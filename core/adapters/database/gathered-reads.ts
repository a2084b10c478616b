import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { gatheredBy, hasOneWay } from './prepared.ts'
import { isBegin, type ConnectionPool, type ServerConnection } from './server-connection.ts'

/** Rows asked for by one statement, at most. */
const mostAtOnce = 100

/** Connections that are asked for gathered rows at the same time, at most. */
const mostAsking = 2

/** Requests of rows by one key each, which one statement will answer. */
interface Gathering {
  readonly query: CompiledQuery
  readonly column: string
  readonly rows: Map<string, PromiseWithResolvers<readonly unknown[]>>
}

function newGathering(query: CompiledQuery, column: string): Gathering {
  return { query, column, rows: new Map() }
}

/**
 * A connection for readers: each statement runs on one of the pool. What requests that arrive at the
 * same time ask for by a key, such as their tokens, is asked for by one statement for all of them. It
 * runs after the last of them has asked, so each sees rows at least as new as if it had run its own.
 */
export class GatheredReads implements DatabaseConnection {
  readonly #pool: ConnectionPool
  readonly #gatherings = new Map<string, Gathering>()
  #isDue = false
  /** Connections that are being asked. */
  #asking = 0

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
    const rows = await this.#join(query, column, key)
    return { rows: [...(rows as readonly Row[])] }
  }

  streamQuery(): never {
    throw new Error('rows are read in batches, not as a stream')
  }

  #join(query: CompiledQuery, column: string, key: string): Promise<readonly unknown[]> {
    const gathering = this.#gatherings.get(query.sql) ?? newGathering(query, column)
    this.#gatherings.set(query.sql, gathering)
    const rows = gathering.rows.get(key) ?? Promise.withResolvers<readonly unknown[]>()
    gathering.rows.set(key, rows)
    this.#askSoon()
    return rows.promise
  }

  /** After the requests that have arrived by now; while others are answered, after those. */
  #askSoon(): void {
    if (this.#isDue || this.#asking >= mostAsking || this.#gatherings.size === 0) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#asking += 1
      void this.#ask([...this.#take()]).finally(() => {
        this.#asking -= 1
        this.#askSoon()
      })
    })
  }

  *#take(): Generator<Gathering> {
    const all = [...this.#gatherings.values()]
    this.#gatherings.clear()
    for (const { query, column, rows } of all) {
      const entries = [...rows]
      for (let start = 0; start < entries.length; start += mostAtOnce)
        yield { query, column, rows: new Map(entries.slice(start, start + mostAtOnce)) }
    }
  }

  async #ask(gatherings: readonly Gathering[]): Promise<void> {
    try {
      const connection = await this.#pool.acquire()
      await Promise.all(gatherings.map((each) => answer(connection, each)))
      this.#pool.release(connection, false)
    } catch (error) {
      for (const { rows } of gatherings) for (const { reject } of rows.values()) reject(error)
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

async function answer(
  connection: ServerConnection,
  { query, column, rows }: Gathering,
): Promise<void> {
  try {
    const all = forAll(query, [...rows.keys()])
    const found = await connection.executeQuery<Record<string, unknown>>(all)
    const byKey = Map.groupBy(found.rows, (row) => row[column])
    for (const [key, { resolve }] of rows) resolve(byKey.get(key) ?? [])
  } catch (error) {
    for (const { reject } of rows.values()) reject(error)
  }
}

/** Keys that a server expects in a list of which it knows nothing. */
const expected = 10

/**
 * The query for rows of all keys in place of one. Where they are few and there is one way to the rows,
 * the last key is repeated: else the server makes a plan for just as many each time, which takes
 * longer than to find the rows.
 */
function forAll(query: CompiledQuery, keys: readonly string[]): CompiledQuery {
  const sql = query.sql.replace(/= \$1(?!\d)|in \(\$1\)/, '= any($1)')
  const last = keys.at(-1)
  const missing = hasOneWay(query) ? Math.max(0, expected - keys.length) : 0
  return { ...query, sql, parameters: [[...keys, ...Array.from({ length: missing }, () => last)]] }
}
