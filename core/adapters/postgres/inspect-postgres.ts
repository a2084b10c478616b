import { sql, type Kysely } from 'kysely'
import { sha256 } from '../../json/canonical.ts'
import type { RowFault } from '../../ports/upkeep.ts'
import { invariants } from '../database/row-invariants.ts'
import type { Tables } from '../database/schema/tables.ts'

const batchSize = 500

/** Everything that is wrong with the rows, in one transaction that changes nothing. */
export async function* inspectPostgres(db: Kysely<Tables>): AsyncGenerator<RowFault> {
  const look = db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const transaction = await look.execute()
  try {
    for (const walk of walks) yield* inspectTexts(transaction, walk)
    for (const { table, message, sql: text } of invariants) {
      const { rows } = await sql.raw<Readonly<Record<string, unknown>>>(text).execute(transaction)
      for (const row of rows) yield { table, id: String(Object.values(row)[0]), message }
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    yield { table: 'database', id: '', message: `cannot be read: ${message}` }
  } finally {
    await transaction.rollback().execute()
  }
}

/** Texts of a row that can be checked by themselves. */
interface TextRow {
  readonly id: string
  readonly document: string | null
  readonly digest: string | null
  /** JSON beside the document. */
  readonly json: string
}

/** A table, walked through in the order of its ids. */
interface Walk {
  readonly table: string
  /** SQL of the id of a row. */
  readonly id: string
  /** SQL of the other fields of a {@link TextRow}. */
  readonly fields: string
}

const walks: readonly Walk[] = [
  { table: 'deposits', id: 'id', fields: 'document, digest, owners AS json' },
  {
    table: 'record_revisions',
    id: "pid_value || '@' || revision",
    fields: 'document, digest, deposit AS json',
  },
  { table: 'blobs', id: 'id', fields: 'NULL AS document, NULL AS digest, digests AS json' },
]

async function* inspectTexts(db: Kysely<Tables>, walk: Walk): AsyncGenerator<RowFault> {
  const { table } = walk
  let last = ''
  for (;;) {
    const rows = await readBatch(db, walk, last)
    for (const { id, document, digest, json } of rows) {
      if (document !== null && sha256(document) !== digest) {
        yield { table, id, message: 'has a document that does not match its digest' }
      }
      if (!isJson(json)) yield { table, id, message: 'has JSON that cannot be read' }
    }
    const end = rows.at(-1)
    if (!end) return
    last = end.id
  }
}

async function readBatch(db: Kysely<Tables>, walk: Walk, last: string): Promise<TextRow[]> {
  const id = sql.raw(walk.id)
  const { rows } = await sql<TextRow>`
    select ${id} as id, ${sql.raw(walk.fields)} from ${sql.table(walk.table)}
    where ${id} > ${last} order by ${id} limit ${sql.lit(batchSize)}`.execute(db)
  return rows
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
