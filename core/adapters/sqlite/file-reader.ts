import type Sqlite from 'better-sqlite3'
import { connect } from './connect.ts'

/** Controls which commits a connection sees. */
export interface Look {
  /** Keeps to what is committed now, whatever is committed next, until `refresh`. */
  readonly hold: () => void
  /** Lets the next query see everything committed since. */
  readonly refresh: () => void
}

/**
 * A connection for reading alone: it never waits for the writer, nor the writer for it.
 *
 * Its queries share one read transaction, which is begun by the first of them and ended by
 * `refresh`: locking the log for each query alone takes longer than most queries do. Whoever
 * commits calls `hold` first and `refresh` when the commit is durable: so nobody reads what a
 * power cut could still take back, and an old look never keeps the log from starting over.
 */
export class FileReader implements Look, Disposable {
  readonly sqlite: Sqlite.Database
  readonly #begin: Sqlite.Statement
  readonly #end: Sqlite.Statement
  readonly #look: Sqlite.Statement
  #isLooking = false
  #view = {}

  constructor(path: string) {
    this.sqlite = connect(path, { readonly: true })
    this.sqlite.pragma('query_only = 1')
    this.sqlite.pragma('trusted_schema = 0')
    this.#begin = this.sqlite.prepare('BEGIN')
    this.#end = this.sqlite.prepare('COMMIT')
    this.#look = this.sqlite.prepare('SELECT 1 FROM sqlite_schema LIMIT 1')
  }

  /** To be called before each query. */
  readonly beforeQuery = (): void => {
    if (this.#isLooking) return
    this.#begin.run()
    this.#isLooking = true
  }

  /** What queries see: the same object until the next `hold` or `refresh`. */
  readonly view = (): object => this.#view

  readonly hold = (): void => {
    this.refresh()
    this.beforeQuery()
    this.#look.get()
  }

  readonly refresh = (): void => {
    this.#view = {}
    if (!this.#isLooking) return
    this.#end.run()
    this.#isLooking = false
  };

  [Symbol.dispose](): void {
    this.sqlite.close()
  }
}
