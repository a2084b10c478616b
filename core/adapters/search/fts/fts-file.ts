import type Sqlite from 'better-sqlite3'
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { diskRoom } from '../../storage-health.ts'
import type { IndexedDocument } from '../../../ports/search-index.ts'
import {
  fieldTerms,
  marksOf,
  textRuns,
  titleRuns,
  type Run,
} from '../../../search/document-terms.ts'
import { fieldToken } from '../../../search/field-tokens.ts'
import { RunText } from './run-text.ts'
import { openFts } from './open-fts.ts'
import { FileSeal } from '../../sqlite/file-seal.ts'
import { documentNumber, ftsSearch, type FtsSearch } from './fts-search.ts'

/** A document by its id, and which state of it is meant. */
export type Version = readonly [id: string, revision: number]

/** Pages that are brought together at a time: some ten milliseconds. */
const mergedPages = 500

/** Changes that share a transaction at most. */
const groupLimit = 5000

/** Bytes on the disk for each character of a document, with those of the log. */
const diskBytesOfCharacter = 8

/**
 * A search index in a file: documents of one kind, of all owners. Every call blocks. Once a
 * change has failed, changes before it may be missing, and the file has to be compared again.
 */
export class FtsFile implements Disposable {
  readonly search: FtsSearch
  readonly #sqlite: Sqlite.Database
  readonly #statements: Statements
  readonly #seal: FileSeal
  readonly #folder: string
  #changes = 0
  /** Characters of documents that no commit has written yet. */
  #unwritten = 0
  /** Higher than that of any document there is. */
  #next: number

  constructor(path: string) {
    this.#folder = dirname(path)
    this.#sqlite = openFts(path)
    this.#seal = new FileSeal(this.#sqlite)
    this.#statements = prepareStatements(this.#sqlite)
    this.search = ftsSearch(this.#sqlite)
    this.#next = Number(this.#statements.next.get())
  }

  /** The mark that the file had when it was opened. */
  get foundSeal(): number {
    return this.#seal.found
  }

  /** Marks the file as it is now. */
  seal(mark: number): void {
    this.commit()
    this.#seal.set(mark)
  }

  /**
   * Puts the document in the place of what it was before, unless that was a later state of it.
   *
   * @param body JSON of an IndexedDocument
   * @throws {Error} it would take what a full disk keeps for deletions
   */
  put(body: string): void {
    const document = JSON.parse(body) as IndexedDocument
    const known = this.#find(document.id)
    if (known && known.revision > document.revision) return
    this.#requireRoom(body.length)
    this.#change(() => {
      if (known) this.#erase(known.n)
      this.#insert(document, body)
    })
  }

  remove(id: string): void {
    const known = this.#find(id)
    if (known) this.#change(() => this.#erase(known.n))
  }

  /** Which of `versions` are not what is here. All of them are remembered until `forgetOthers`. */
  compare(versions: readonly Version[]): readonly string[] {
    for (const [id] of versions) this.#statements.see.run(id)
    return versions
      .filter(([id, revision]) => this.#find(id)?.revision !== revision)
      .map(([id]) => id)
  }

  /** Removes every document that was in no `compare`, but for those of `except`. */
  forgetOthers(except: readonly string[]): void {
    for (const id of except) this.#statements.see.run(id)
    for (const id of this.#statements.unseen.all()) this.remove(String(id))
    this.#statements.unsee.run()
  }

  /**
   * Merges a few of the segments of the index; searches are several times faster when all of them
   * are merged. The first step begins the merge of everything, the others continue it.
   *
   * @returns whether there is more to do
   */
  tidy(step: 'first' | 'next'): boolean {
    this.commit()
    const before = this.#sqlite.prepare('SELECT total_changes()').pluck()
    const changes = Number(before.get())
    this.#statements.merge.run(step === 'first' ? -mergedPages : mergedPages)
    return Number(before.get()) - changes >= 2
  }

  /** Makes what was changed last for good. */
  commit(): void {
    if (this.#sqlite.inTransaction) this.#sqlite.exec('COMMIT')
    this.#changes = 0
    this.#unwritten = 0
  }

  [Symbol.dispose](): void {
    this.commit()
    this.#sqlite.close()
  }

  #requireRoom(characters: number): void {
    this.#unwritten += characters
    const { left } = diskRoom(statfsSync(this.#folder))
    if (left < this.#unwritten * diskBytesOfCharacter) {
      throw new Error('the disk has no room for the search index')
    }
  }

  #find(id: string): Known | undefined {
    return this.#statements.find.get(id) as Known | undefined
  }

  #change(change: () => void): void {
    const isFirst = !this.#sqlite.inTransaction
    if (isFirst) this.#sqlite.exec('BEGIN IMMEDIATE')
    try {
      if (isFirst) this.#seal.break()
      change()
    } catch (error) {
      // The changes before it are lost as well: a savepoint for each would cost more than they do.
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK')
      throw error
    }
    this.#changes += 1
    if (this.#changes >= groupLimit) this.commit()
  }

  #insert(document: IndexedDocument, body: string): void {
    const { id, revision, status, created, updated } = document
    const { facts, bodies, words, values } = this.#statements
    const n = documentNumber(this.#next, status)
    this.#next += 1
    facts.run(n, id, revision, Date.parse(created), Date.parse(updated))
    bodies.run(n, body)
    const known = new Set<number>()
    const fields = new RunText()
    for (const { field, words: run, value } of fieldTerms(document)) {
      known.add(field)
      fields.add(run.map((word) => fieldToken(field, word)))
      if (value) values.run(field, value.kind, value.value, n)
    }
    for (const mark of marksOf(document, known)) fields.add([mark])
    words.run(n, toText(titleRuns(document)), toText(textRuns(document)), fields.toString())
  }

  #erase(n: number): void {
    const { body, dropFacts, dropBody, dropWords, dropValue } = this.#statements
    const before = JSON.parse(String(body.get(n))) as IndexedDocument
    for (const { field, value } of fieldTerms(before)) {
      if (value) dropValue.run(field, value.kind, value.value, n)
    }
    for (const drop of [dropWords, dropBody, dropFacts]) drop.run(n)
  }
}

interface Known {
  readonly n: number
  readonly revision: number
}

type Statements = ReturnType<typeof prepareStatements>

function prepareStatements(sqlite: Sqlite.Database) {
  sqlite.exec('CREATE TEMP TABLE seen (id TEXT PRIMARY KEY) WITHOUT ROWID')
  const facts = 'INSERT INTO facts (n, id, revision, created, updated) VALUES (?, ?, ?, ?, ?)'
  const value = 'field = ? AND kind = ? AND value = ? AND n = ?'
  return {
    next: sqlite.prepare('SELECT coalesce(max(n), 0) / 2 + 1 FROM facts').pluck(),
    find: sqlite.prepare('SELECT n, revision FROM facts WHERE id = ?'),
    facts: sqlite.prepare(facts),
    bodies: sqlite.prepare('INSERT INTO bodies (n, document) VALUES (?, ?)'),
    words: sqlite.prepare('INSERT INTO words (rowid, title, text, fields) VALUES (?, ?, ?, ?)'),
    values: sqlite.prepare('INSERT OR IGNORE INTO field_values VALUES (?, ?, ?, ?)'),
    merge: sqlite.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)"),
    body: sqlite.prepare('SELECT document FROM bodies WHERE n = ?').pluck(),
    dropFacts: sqlite.prepare('DELETE FROM facts WHERE n = ?'),
    dropBody: sqlite.prepare('DELETE FROM bodies WHERE n = ?'),
    dropWords: sqlite.prepare('DELETE FROM words WHERE rowid = ?'),
    dropValue: sqlite.prepare(`DELETE FROM field_values WHERE ${value}`),
    see: sqlite.prepare('INSERT OR IGNORE INTO seen VALUES (?)'),
    unsee: sqlite.prepare('DELETE FROM seen'),
    unseen: sqlite.prepare('SELECT id FROM facts WHERE id NOT IN (SELECT id FROM seen)').pluck(),
  }
}

function toText(runs: Iterable<Run>): string {
  const text = new RunText()
  for (const run of runs) text.add(run)
  return text.toString()
}
