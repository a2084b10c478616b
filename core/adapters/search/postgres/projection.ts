import type { Kysely } from 'kysely'
import { giveWay } from '../../../base/turns.ts'
import type { Readers } from '../../../ports/database.ts'
import type { Deposit } from '../../../deposit/deposit.ts'
import type { DepositId } from '../../../pid/deposit-pid.ts'
import { wordsOf } from '../../../search/analyze.ts'
import {
  toIndexedDeposit,
  toIndexedRecord,
  type IndexedDocument,
} from '../../../search/indexed-document.ts'
import type { Tables } from '../../database/schema/tables.ts'
import { runBlind } from '../../database/open-postgres.ts'
import type { KnownDeposit } from '../../database/watch-unit.ts'
import type { RowThread } from './row-thread.ts'
import type { SearchRow } from './search-row.ts'

export type Kind = 'deposits' | 'records'

/** Ids of documents whose rows were changed. */
export interface ChangedDocuments extends Readonly<Record<Kind, ReadonlySet<string>>> {
  /** Deposits that need not be read. */
  readonly known?: ReadonlyMap<string, KnownDeposit>
}

/** Makes rows for searches. */
export interface Outside {
  /** On a connection that commits by itself. */
  readonly words: WordStore
  readonly rows: RowThread
}

/** Documents are stored with the path of a schema: its address may differ between daemons. */
const schemaPath = (path: string): string => path

/**
 * Updates the tables of the search in the transaction that changes the rows, so both are always the
 * same.
 *
 * @param transaction in which `read` reads as well
 * @param outside works beside the transaction
 */
export async function project(
  transaction: Kysely<Tables>,
  read: Pick<Readers, 'deposits' | 'records'>,
  changed: ChangedDocuments,
  outside: Outside,
): Promise<void> {
  const records = [...changed.records]
  const found = records.length === 0 ? [] : await read.records.findAll(records)
  await store(transaction, 'records', records, {
    documents: found.map((record) => toIndexedRecord(record, schemaPath)),
    outside,
  })
  const known = changed.known ?? new Map<string, KnownDeposit>()
  const isTouched = (id: string): boolean => known.get(id)?.by === 'touched'
  const deposits = [...changed.deposits].filter((id) => !isTouched(id))
  const unknown = deposits.filter((id) => !known.has(id)).map((id) => id as DepositId)
  const others = unknown.length === 0 ? [] : await read.deposits.findAll(unknown)
  const stored = deposits.flatMap((id) => known.get(id)?.deposit ?? [])
  await store(transaction, 'deposits', deposits, {
    documents: [...others, ...stored].map(toDeposit),
    isNew: (id) => known.get(id)?.by === 'made',
    outside,
  })
  for (const { deposit, by } of known.values())
    if (by === 'touched') await touch(transaction, deposit, outside)
}

/** Of a deposit that was touched, a search can tell the time alone. */
async function touch(
  db: Kysely<Tables>,
  { id, updated }: Deposit,
  { words }: Outside,
): Promise<void> {
  await words.add(wordsOf(updated))
  const sql = 'UPDATE search_deposits SET updated = ? WHERE id = ?'
  await runBlind(db, { sql, values: [updated, id] })
}

interface Found {
  readonly documents: readonly IndexedDocument[]
  /** Whether a document has no row yet, so that none need be looked for. */
  readonly isNew?: (id: string) => boolean
  readonly outside: Outside
}

/** Stores the rows of the documents of `ids` that were found, and removes those of the others. */
async function store(
  db: Kysely<Tables>,
  kind: Kind,
  ids: readonly string[],
  { documents, isNew = () => false, outside }: Found,
): Promise<void> {
  const rows: SearchRow[] = []
  for (const document of documents) rows.push(await outside.rows.make(document))
  await outside.words.add(rows.flatMap(({ words }) => words))
  await replaceRows(db, kind, ids, rows, isNew)
  if (ids.length > 0) await noteChanges(db, kind, ids)
}

/** Stores `rows`, and removes those of the other documents of `ids`. */
export async function replaceRows(
  db: Kysely<Tables>,
  kind: Kind,
  ids: readonly string[],
  rows: readonly SearchRow[],
  isNew: (id: string) => boolean = () => false,
): Promise<void> {
  const found = new Set(rows.map(({ id }) => id))
  const gone = ids.filter((id) => !found.has(id))
  if (gone.length > 0) await remove(db, kind, gone)
  for (const row of rows) await storeRow(db, kind, row, isNew(row.id))
}

function toDeposit(deposit: Parameters<typeof toIndexedDeposit>[0]): IndexedDocument {
  return toIndexedDeposit(deposit, schemaPath)
}

async function remove(db: Kysely<Tables>, kind: Kind, ids: readonly string[]): Promise<void> {
  for (const table of [`search_${kind}`, `search_${kind}_values`]) {
    await runBlind(db, { sql: `DELETE FROM ${table} WHERE id = ANY (?)`, values: [ids] })
  }
}

/** The columns that change with a document. */
const columns = ['status', 'owners', 'schema_path', 'created', 'updated', 'terms', 'runs']
const changedColumns = columns.map((name) => `${name} = excluded.${name}`).join(', ')
const columnNames = columns.join(', ')

/** @param isNew whether it has no values that must be removed */
async function storeRow(
  db: Kysely<Tables>,
  kind: Kind,
  row: SearchRow,
  isNew: boolean,
): Promise<void> {
  const { id, status, owners, schemaPath: path, created, updated, terms, runs, values } = row
  if (!isNew) {
    await runBlind(db, { sql: `DELETE FROM search_${kind}_values WHERE id = ?`, values: [id] })
  }
  await runBlind(db, {
    sql:
      `INSERT INTO search_${kind} (id, ${columnNames}) ` +
      'VALUES (?, ?, ?::text[], ?, ?, ?, ?::tsvector, ?) ' +
      `ON CONFLICT (id) DO UPDATE SET ${changedColumns}`,
    values: [id, status, owners, path, created, updated, terms, runs],
  })
  if (values.fields === '') return
  await runBlind(db, {
    sql:
      `INSERT INTO search_${kind}_values (id, field, kind, value) ` +
      "SELECT ?, * FROM unnest(string_to_array(?, ' ')::bigint[], string_to_array(?, ' '), " +
      "string_to_array(?, ' ')::double precision[])",
    values: [id, values.fields, values.kinds, values.values],
  })
}

/** For the counts that are kept: `kept-counts.ts`. */
async function noteChanges(db: Kysely<Tables>, kind: Kind, ids: readonly string[]): Promise<void> {
  await runBlind(db, {
    sql:
      'INSERT INTO search_changes SELECT ?, id, pg_current_xact_id() FROM unnest(?::text[]) AS id ' +
      'ON CONFLICT (kind, id) DO UPDATE SET changed = excluded.changed',
    values: [kind, ids],
  })
}

/** Most words that are remembered to be stored. */
const mostKnown = 200_000

/** Words that are stored by one statement: some milliseconds of work. */
const wordsAtOnce = 5000

/**
 * The words of all documents, for searches of words that are nearly the same. They are stored before
 * the documents are, each by itself: a word without a document does no harm, and writers of the
 * same word would otherwise have to wait for each other.
 */
export class WordStore {
  readonly #db: Kysely<Tables>
  readonly #known = new Set<string>()
  /** To be stored next. */
  readonly #wanted = new Set<string>()
  #next: Promise<void> | undefined
  /** Ends with what is being stored. */
  #stored: Promise<void> = Promise.resolve()

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  async add(words: readonly string[]): Promise<void> {
    for (let start = 0; start < words.length; start += wordsAtOnce) {
      await giveWay()
      await this.#add(words.slice(start, start + wordsAtOnce))
    }
  }

  async #add(words: readonly string[]): Promise<void> {
    const unknown = words.filter((word) => !this.#known.has(word))
    if (unknown.length === 0) return
    for (const word of unknown) this.#wanted.add(word)
    // Those of units that run at the same time are stored together, after those under way.
    this.#next ??= this.#stored.then(() => this.#store())
    await this.#next
  }

  #store(): Promise<void> {
    this.#next = undefined
    const words = [...this.#wanted].sort()
    this.#wanted.clear()
    const sql = 'INSERT INTO search_words SELECT unnest(?::text[]) ON CONFLICT DO NOTHING'
    const stored = runBlind(this.#db, { sql, values: [words] }).then(() => {
      if (this.#known.size > mostKnown) this.#known.clear()
      for (const word of words) this.#known.add(word)
    })
    this.#stored = stored.catch(() => {})
    return stored
  }
}
