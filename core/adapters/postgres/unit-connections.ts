import { openConnections, type PostgresOptions } from '../database/open-postgres.ts'
import type { ConnectionPool, ServerConnection } from '../database/server-connection.ts'
import { UnitConnection, type Level } from './unit-connection.ts'

/** Connections for units of work, made when they are needed. */
export class UnitConnections implements AsyncDisposable {
  readonly #pool: ConnectionPool
  readonly #known = new WeakMap<ServerConnection, UnitConnection>()

  constructor(url: string, options: PostgresOptions) {
    this.#pool = openConnections(url, { ...options, isPipelined: true })
  }

  /** A connection of its own for one unit, until {@link end}. */
  async begin(level: Level): Promise<UnitConnection> {
    const server = await this.#pool.acquire()
    const connection = this.#known.get(server) ?? new UnitConnection(server)
    this.#known.set(server, connection)
    connection.begin(level)
    return connection
  }

  async end(connection: UnitConnection): Promise<void> {
    const isBroken = await connection.end()
    this.#pool.release(connection.server, isBroken)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.end()
  }
}
