import type { Pool, PoolClient, QueryConfig } from 'pg'
import { codeOf } from '../../base/errno.ts'
import { explainPostgresError } from '../database/postgres-errors.ts'

/** `depu` in ASCII: the first of the two numbers of our locks, the other one is made of the name. */
const space = 0x64657075

/** The channel on which daemons tell each other about locks. */
const channel = 'deposit_locks'

/**
 * Milliseconds. While it has locks, this side asks for a sign of life, gives a silent connection up,
 * and writes nothing without a sign that is younger than `fresh`. All of that is over before the
 * server gives the locks of a daemon back that it cannot reach: after `serverSide`.
 */
export interface SignsOfLife {
  readonly every: number
  readonly patience: number
  readonly fresh: number
}

export const usualSigns: SignsOfLife = { every: 3_000, patience: 8_000, fresh: 15_000 }

/** Seconds and probes until the server ends a connection whose other side is silent: 25 s. */
const serverSide = [
  'set tcp_keepalives_idle = 10',
  'set tcp_keepalives_interval = 5',
  'set tcp_keepalives_count = 3',
  'set tcp_user_timeout = 25000',
] as const

/** Databases that are like PostgreSQL, and systems, do not know all of it. */
const unknownThere = /^(?:0A000|42|22023|XXUUU)/

interface Told {
  /** Called with each message of a daemon, of this one as well. */
  readonly heard: (message: string) => void
  /** Called once the connection is closed: the server gives its locks to others. */
  readonly closed: () => void
}

/** A connection that has locks: they last as long as it does. */
export class LockConnection {
  readonly #client: PoolClient
  readonly #told: Told
  readonly #expected: SignsOfLife
  #isOpen = true
  /** When the last question was sent that has an answer. */
  #answered = performance.now()
  #held = 0
  #signs: NodeJS.Timeout | undefined

  private constructor(client: PoolClient, told: Told, expected: SignsOfLife) {
    this.#client = client
    this.#told = told
    this.#expected = expected
    client.on('notification', ({ payload = '' }) => told.heard(payload))
    for (const end of ['end', 'error'] as const) client.on(end, () => this.close())
  }

  /** @throws {DepositError} storage_unavailable */
  static async open(pool: Pool, told: Told, signs: SignsOfLife): Promise<LockConnection> {
    try {
      const client = await pool.connect()
      const connection = new LockConnection(client, told, signs)
      for (const text of [`listen ${channel}`, ...serverSide]) await connection.#prepare(text)
      return connection
    } catch (error) {
      throw explainPostgresError(error)
    }
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** False where the server may have given the locks to others: it was silent for long. */
  get isFresh(): boolean {
    return this.#isOpen && performance.now() - this.#answered < this.#expected.fresh
  }

  async tryLock(name: string): Promise<boolean> {
    const text = 'select pg_try_advisory_lock($1, hashtext($2)) as done'
    const isTaken = await this.#ask({ name: 'lock', text, values: [space, name] })
    if (isTaken) this.#hold(1)
    return isTaken
  }

  /** Answers whether the lock was held until now. @param message told to all daemons */
  async unlock(name: string, message?: string): Promise<boolean> {
    this.#hold(-1)
    const unlocked = 'select pg_advisory_unlock($1, hashtext($2)) as done'
    if (message === undefined)
      return this.#ask({ name: 'unlock', text: unlocked, values: [space, name] })
    const text = `${unlocked}, pg_notify($3, $4)`
    const values = [space, name, channel, message]
    return this.#ask({ name: 'unlock and tell', text, values })
  }

  async tell(message: string): Promise<void> {
    const text = 'select true as done, pg_notify($1, $2)'
    await this.#ask({ name: 'tell', text, values: [channel, message] })
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearInterval(this.#signs)
    this.#client.release(true)
    // A server that is silent would not take a farewell.
    this.#client.connection.stream.destroy()
    this.#told.closed()
  }

  #hold(further: 1 | -1): void {
    this.#held += further
    if (this.#held === 0) clearInterval(this.#signs)
    if (this.#held !== 1 || further < 0 || !this.#isOpen) return
    const ask = (): void => {
      this.#ask({ text: 'select true as done' }).catch(() => this.close())
    }
    this.#signs = setInterval(ask, this.#expected.every).unref()
  }

  async #prepare(text: string): Promise<void> {
    try {
      await this.#client.query(text)
    } catch (error) {
      if (unknownThere.test(codeOf(error))) return
      this.close()
      throw error
    }
  }

  async #ask(query: QueryConfig): Promise<boolean> {
    const sent = performance.now()
    const asked: QueryConfig = Object.assign(query, { query_timeout: this.#expected.patience })
    try {
      const { rows } = await this.#client.query<{ readonly done: boolean }>(asked)
      this.#answered = Math.max(this.#answered, sent)
      return rows[0]?.done === true
    } catch (error) {
      throw explainPostgresError(error)
    }
  }
}
