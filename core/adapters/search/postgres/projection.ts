import type { Kysely } from 'kysely'
import { giveWay } from '../../../base/turns.ts'
import type { Readers } from '../../../ports/database.ts'
import type { DepositId } from '../../../pid/deposit-pid.ts'
import {
  toIndexedDeposit,
  toIndexedRecord,
  type IndexedDocument,
} from '../../../search/indexed-document.ts'
import type { Tables } from '../../database/schema/tables.ts'
import { runSql } from '../../database/open-postgres.ts'
import type { RowThread } from './row-thread.ts'
import type { SearchRow } from './search-row.ts'

export type Kind = 'deposits' | 'records'

/** Ids of documents whose rows were changed. */
export type ChangedDocuments = Readonly<Record<Kind, ReadonlySet<string>>>

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
  for (const kind of ['deposits', 'records'] as const) {
    const ids = [...changed[kind]]
    if (ids.length === 0) continue
    const documents =
      kind === 'deposits'
        ? (await read.deposits.findAll(ids.map((id) => id as DepositId))).map(toDeposit)
        : (await read.records.findAll(ids)).map((record) => toIndexedRecord(record, schemaPath))
    const rows: SearchRow[] = []
    for (const document of documents) rows.push(await outside.rows.make(document))
    await outside.words.add(rows.flatMap(({ words }) => words))
    await replaceRows(transaction, kind, ids, rows)
    await noteChanges(transaction, kind, ids)
  }
}

function toDeposit(deposit: Parameters<typeof toIndexedDeposit>[0]): IndexedDocument {
  return toIndexedDeposit(deposit, schemaPath)
}

/** Replaces the rows of the documents `ids` by `rows`. */
export async function replaceRows(
  db: Kysely<Tables>,
  kind: Kind,
  ids: readonly string[],
  rows: readonly SearchRow[],
): Promise<void> {
  for (const table of [`search_${kind}`, `search_${kind}_values`]) {
    await runSql(db, { sql: `DELETE FROM ${table} WHERE id = ANY (?)`, values: [ids] })
  }
  for (const row of rows) await insert(db, kind, row)
}

/** For the counts that are kept: `kept-counts.ts`. */
async function noteChanges(db: Kysely<Tables>, kind: Kind, ids: readonly string[]): Promise<void> {
  await runSql(db, {
    sql:
      'INSERT INTO search_changes SELECT ?, id, pg_current_xact_id() FROM unnest(?::text[]) AS id ' +
      'ON CONFLICT (kind, id) DO UPDATE SET changed = excluded.changed',
    values: [kind, ids],
  })
}

async function insert(db: Kysely<Tables>, kind: Kind, row: SearchRow): Promise<void> {
  const { id, status, owners, schemaPath: path, created, updated, terms, runs, values } = row
  await runSql(db, {
    sql:
      `INSERT INTO search_${kind} (id, status, owners, schema_path, created, updated, terms, runs) ` +
      'VALUES (?, ?, ?, ?, ?, ?, ?::tsvector, ?)',
    values: [id, status, owners, path, created, updated, terms, runs],
  })
  if (values.fields === '') return
  await runSql(db, {
    sql:
      `INSERT INTO search_${kind}_values (id, field, kind, value) ` +
      "SELECT ?, * FROM unnest(string_to_array(?, ' ')::bigint[], string_to_array(?, ' '), " +
      "string_to_array(?, ' ')::double precision[])",
    values: [id, values.fields, values.kinds, values.values],
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
    const unknown = [...new Set(words)].filter((word) => !this.#known.has(word)).sort()
    if (unknown.length === 0) return
    const sql = 'INSERT INTO search_words SELECT unnest(?::text[]) ON CONFLICT DO NOTHING'
    await runSql(this.#db, { sql, values: [unknown] })
    if (this.#known.size > mostKnown) this.#known.clear()
    for (const word of unknown) this.#known.add(word)
  }
}
