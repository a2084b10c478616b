import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { documentOf } from './documents.ts'

/** SQLite's FTS5 alone, over the documents of a home with as many deposits. */
export class FullText implements Disposable {
  readonly #sqlite: Sqlite.Database

  constructor(folder: string, documents: number) {
    this.#sqlite = new Sqlite(join(folder, 'full-text.db'))
    this.#sqlite.pragma('journal_mode = off')
    this.#sqlite.pragma('synchronous = off')
    this.#sqlite.exec('CREATE VIRTUAL TABLE documents USING fts5(title, description)')
    const insert = this.#sqlite.prepare('INSERT INTO documents VALUES (?, ?)')
    this.#sqlite.exec('BEGIN')
    for (let index = 0; index < documents; index++) {
      const { title, description } = documentOf(index)
      insert.run(title, description)
    }
    this.#sqlite.exec(`COMMIT; INSERT INTO documents (documents) VALUES ('optimize')`)
  }

  /** Finds the best ten. @returns milliseconds */
  time(query: string): number {
    const best = 'SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT 10'
    const statement = this.#sqlite.prepare(best)
    const started = performance.now()
    statement.all(query)
    return performance.now() - started
  }

  /** Number of matching documents. */
  count(query: string): number {
    const count = 'SELECT count(*) FROM documents WHERE documents MATCH ?'
    return this.#sqlite.prepare<[string], number>(count).pluck().get(query) ?? 0
  }

  [Symbol.dispose](): void {
    this.#sqlite.close()
  }
}
