import type Sqlite from 'better-sqlite3'

/**
 * A mark in the header of a database file (`application_id`), which says that the file is as it was
 * when it got the mark: the first change after that takes it off, in the same transaction.
 */
export class FileSeal {
  /** The mark when the file was opened; 0 for none. */
  readonly found: number
  readonly #sqlite: Sqlite.Database
  readonly #read: Sqlite.Statement
  /** Once that is committed: a transaction that is rolled back leaves the mark. */
  #isBroken = false

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite
    this.#read = sqlite.prepare('PRAGMA application_id').pluck()
    this.found = Number(this.#read.get())
  }

  /** To be called at the beginning of each transaction that changes the file. */
  break(): void {
    if (this.#isBroken) return
    if (Number(this.#read.get()) === 0) this.#isBroken = true
    else this.set(0)
  }

  set(mark: number): void {
    this.#sqlite.pragma(`application_id = ${mark}`)
  }
}
