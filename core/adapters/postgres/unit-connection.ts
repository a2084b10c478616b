import { CompiledQuery, Kysely, type DatabaseConnection, type QueryResult } from 'kysely'
import { codeOf } from '../../base/errno.ts'
import { isProblem } from '../../errors/errors.ts'
import { announcedBytes } from '../database/blob-rows.ts'
import { serverRun, type TransactionName } from '../database/commit-outcome.ts'
import { blindChange, isBlind, isLast, isSure, runBy } from '../database/prepared.ts'
import { mergeChanges } from './merged-inserts.ts'
import { createWriters, type Writers } from '../database/rows.ts'
import type { Tables } from '../database/schema/tables.ts'
import {
  dialectOver,
  requireCommitted,
  type Ended,
  type ServerConnection,
} from '../database/server-connection.ts'

/** Begins a transaction, and gives it the number by which its outcome can be asked for. */
const begin = (level: Level): string =>
  `start transaction isolation level ${level}; select pg_current_xact_id()::text as number`

/** How a unit meets others: see `postgres-database.ts`. */
export type Level = 'serializable' | 'read committed'

/** Fails where a user has more bytes than a unit has found room for. */
const requireRoom = `select 1 / (case when coalesce((select byte_count from usage where owner = $1), 0)
  + coalesce((select ${announcedBytes} from uploads where owner = $1 and finished is null), 0)
  + coalesce((select sum(byte_count) from metadata_usage where owner = $1), 0) <= $2
  then 1 else 0 end)`

/** As `usage` of a user is locked, with its row, where nothing is added to it. */
const touchUsage = `insert into usage (owner, byte_count) values ($1, 0)
  on conflict (owner) do update set byte_count = usage.byte_count`

/** In a transaction that has failed; the failure itself was that of a statement before. */
const alreadyFailed = '25P02'

/**
 * A connection for units of work, one after another. Statements are sent before those ahead of them
 * are answered, and only the answers that a unit looks at are waited for: a unit takes as many round
 * trips as it has questions, and one for the commit.
 */
export class UnitConnection implements DatabaseConnection {
  readonly server: ServerConnection
  readonly db: Kysely<Tables>
  /** Made once: they keep their statements. */
  readonly writers: Writers
  #begun: Promise<string> = Promise.resolve('')
  /** Changes whose outcome nobody asks for, before they are sent. */
  readonly #waiting: CompiledQuery[] = []
  /** Those of them that are made at the end. */
  readonly #last: CompiledQuery[] = []
  /** Demands on what users have at the end. */
  #room: CompiledQuery[] = []
  /** The same, once they are sent. */
  #blind: Promise<unknown>[] = []
  #isOpen = false
  /** Whether the unit may have changed rows. */
  #hasChanged = false
  #level: Level = 'serializable'
  /** When the server was started, as long as the connection lasts. */
  #run: Promise<string> | undefined

  constructor(server: ServerConnection) {
    this.server = server
    this.db = runBy(
      new Kysely<Tables>({ dialect: dialectOver({ acquire: async () => this }) }),
      this,
    )
    this.writers = createWriters(this.db)
  }

  /** The next unit has begun: its statements may follow at once. */
  begin(level: Level): void {
    this.#blind = []
    this.#waiting.length = 0
    this.#last.length = 0
    this.#room = []
    this.#isOpen = true
    this.#hasChanged = false
    this.#level = level
    this.#run ??= this.#readRun()
    this.#begun = this.#begin(level)
    // Whoever needs the transaction is told.
    for (const promise of [this.#run, this.#begun]) promise.catch(() => {})
  }

  get hasChanged(): boolean {
    return this.#hasChanged
  }

  readonly executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    this.#hasChanged ||= query.query.kind !== 'SelectQueryNode'
    if (isBlind(query) || (isSure(query) && this.#level === 'read committed')) {
      const list = isLast(query) ? this.#last : this.#waiting
      list.push(query)
      return { rows: [], numAffectedRows: 1n }
    }
    // What is read has to include them.
    if (this.#last.length > 0 && query.sql.includes('"usage"'))
      this.#waiting.push(...this.#last.splice(0))
    // Without a transaction, a change would be made by itself.
    if (this.#waiting.length > 0 || query.query.kind !== 'SelectQueryNode') await this.#begun
    this.#sendWaiting()
    try {
      return await this.server.executeQuery<Row>(query)
    } catch (error) {
      throw await this.#causeOf(error)
    }
  }

  /** Sends the changes whose outcome nobody asks for: later statements have to see them. */
  #sendWaiting(): void {
    const changes = mergeChanges(this.#waiting.splice(0))
    for (const change of changes) {
      const answer = this.server.executeQuery(change)
      answer.catch(() => {})
      this.#blind.push(answer)
    }
  }

  /** Demands at the end that a user has at most so many bytes, where the unit adds any. */
  holdRoom(owner: string, most: number): void {
    this.#room.push(blindChange(requireRoom, [owner, most]))
  }

  /** Lets the unit meet others that look at what a user has. */
  touchUsage(owner: string): void {
    this.#last.push(blindChange(touchUsage, [owner]))
  }

  /** As {@link touchUsage}, at once: waits for those that have done so, until they have ended. */
  async lockUsage(owner: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(touchUsage, [owner]))
  }

  streamQuery(): never {
    throw new Error('rows are read in batches, not as a stream')
  }

  /**
   * Commits what the unit has changed.
   *
   * @returns undefined if that is done; else, where the server had no answer, the name by which to
   *   ask another connection
   */
  async commit(): Promise<Unanswered | undefined> {
    const [number, since] = await Promise.all([this.#begun, this.#run])
    this.#sendWaiting()
    if (this.#last.length > 0) {
      // By themselves: other units wait from then on until this one has ended.
      this.#waiting.push(...this.#last.splice(0))
      this.#sendWaiting()
      // After those: they have waited for other units that change the same rows.
      this.#waiting.push(...this.#room)
    }
    this.#sendWaiting()
    const committed = this.server.executeQuery<Ended>(CompiledQuery.raw('commit'))
    const outcomes = await Promise.allSettled([...this.#blind, committed])
    const error = outcomes.find((outcome) => outcome.status === 'rejected')?.reason as
      | Error
      | undefined
    if (error === undefined) {
      this.#isOpen = false
      requireCommitted((await committed).rows)
      return undefined
    }
    if (!isProblem(error, 'storage_unavailable') || since === undefined) throw error
    return { name: { number, since }, error }
  }

  /**
   * Ends the unit, undoing what was not committed.
   *
   * @returns whether the connection is of no more use
   */
  async end(): Promise<boolean> {
    if (!this.#isOpen) return false
    this.#isOpen = false
    try {
      await this.server.executeQuery(CompiledQuery.raw('rollback'))
      return false
    } catch {
      return true
    }
  }

  async #readRun(): Promise<string> {
    const query = CompiledQuery.raw(`select ${serverRun} as since`)
    const { rows } = await this.server.executeQuery<Pick<TransactionName, 'since'>>(query)
    return rows[0]?.since ?? ''
  }

  async #begin(level: Level): Promise<string> {
    const { rows } = await this.server.executeQuery<Begun>(CompiledQuery.raw(begin(level)))
    const [begun] = rows
    if (begun === undefined) throw new Error('the server gave a transaction no number')
    return begun.number
  }

  /** The failure that came first: a change that nobody waited for may have failed the unit. */
  async #causeOf(error: unknown): Promise<unknown> {
    if (codeOf(error) !== alreadyFailed) return error
    const [begun] = await Promise.allSettled([this.#begun])
    if (begun.status === 'rejected') return begun.reason
    const outcomes = await Promise.allSettled(this.#blind)
    const first = outcomes.find((outcome) => outcome.status === 'rejected')
    return first === undefined ? error : first.reason
  }
}

interface Begun {
  readonly number: string
}

/** A commit without an answer. */
export interface Unanswered {
  readonly name: TransactionName
  readonly error: unknown
}
