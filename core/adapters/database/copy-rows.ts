import { hash } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { openReader, openWriter } from './sqlite-database.ts'
import { openPostgres } from './open-postgres.ts'
import { continueNumbers } from './number-rows.ts'
import type { Tables } from './schema/tables.ts'

/** The place of the rows: a file, or `postgres://…`. */
export type RowsAt = { readonly file: string } | { readonly url: string }

export interface CopyRowsOptions {
  /** Told how many of a table's rows were copied. */
  readonly progress: (table: string, rows: number) => void
  readonly signal: AbortSignal
  /** The shared secret of the target that says that rows are missing there. */
  readonly note: string
}

/** Rows read at once; each has up to twenty values, of which one statement takes 32,766. */
const batchSize = 500

/**
 * Every table with what its rows are told apart by. Intents are of the store that the bytes lie in,
 * and secrets of the daemons that share them: both stay where they are; the id of the service among
 * those is moved with its store (`service-id.ts`). Counts and sums are kept by the target.
 */
const keys = {
  accounts: ['id'],
  tokens: ['id'],
  passphrases: ['account_id'],
  clients: ['id'],
  issuer_entries: ['kind', 'hash'],
  pids: ['pid_type', 'pid_value'],
  deposits: ['id'],
  buckets: ['id'],
  blobs: ['id'],
  files: ['id'],
  // Before the versions of deleted files: with whom those count is known by the file.
  trashed_files: ['id'],
  file_versions: ['version_id'],
  record_revisions: ['pid_value', 'revision'],
  versions: ['deposit_id'],
  numbers: ['number'],
  uploads: ['id'],
  answers: ['account_id', 'key'],
  usage: ['owner'],
  identifiers: ['value'],
  identifier_outbox: ['value'],
  identifier_pauses: ['provider'],
  deposit_people: ['deposit_id', 'user_id'],
  links: ['id'],
  invitations: ['email'],
  audit: ['id'],
  history: ['deposit_id', 'n'],
  vocabulary_loads: ['vocabulary'],
  terms: ['vocabulary', 'load', 'id'],
  term_words: ['vocabulary', 'load', 'word', 'id'],
  review_comments: ['id'],
  announced_files: ['deposit_id', 'key'],
} as const satisfies Record<
  Exclude<keyof Tables, 'intents' | 'shared_secrets' | 'kept_counts' | 'metadata_usage'>,
  readonly string[]
>

type Row = Readonly<Record<string, unknown>>

/**
 * Copies all rows into a database of the same schema that has none: in one transaction, so that it
 * has all of them, or none and the note of that. Uploads that are not finished are left out, for their bytes are.
 *
 * @returns how many rows there are
 */
export async function copyRows(
  from: RowsAt,
  to: RowsAt,
  { progress, signal, note }: CopyRowsOptions,
): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const source = openSource(from, stack)
  const atOnce = openTarget(to, stack)
  return await atOnce(async (target) => {
    let all = 0
    for (const [table, columns] of Object.entries(keys)) {
      let rows = 0
      for await (const batch of batchesOf(source, table, columns)) {
        signal.throwIfAborted()
        await insert(target, table, batch)
        rows += batch.length
        progress(table, rows)
      }
      all += rows
    }
    await continueNumbers(target)
    await target.deleteFrom('shared_secrets').where('name', '=', note).execute()
    // The rows were copied without their search index: without this state the next daemon builds it.
    if ('url' in to) await sql`delete from search_state`.execute(target)
    return all
  })
}

/** Columns of blobs that tell when and how their bytes were read, which is done at either place. */
const readings: ReadonlySet<string> = new Set(['checked', 'damage', 'crc32', 'digests'])

/**
 * Whether a database has the rows that {@link copyRows} brings there, and no others. The audit trail
 * may differ: commands that were refused or finished since are told in one of the two alone. So may
 * what was seen when bytes were read.
 *
 * @returns how many rows there are; undefined where they differ
 */
export async function countSame(
  from: RowsAt,
  to: RowsAt,
  signal: AbortSignal,
): Promise<number | undefined> {
  await using stack = new AsyncDisposableStack()
  const [source, target] = [openSource(from, stack), openSource(to, stack)]
  let all = 0
  for (const [table, columns] of Object.entries(keys)) {
    const here = await digestOf(source, table, columns, signal)
    const there = await digestOf(target, table, columns, signal)
    const isThere = table === 'audit' ? here.rows === 0 || there.rows > 0 : here.sum === there.sum
    if (!isThere) return undefined
    all += here.rows
  }
  return all
}

interface TableDigest {
  readonly rows: number
  /** The sum of the digests of its rows: databases sort texts differently. */
  readonly sum: bigint
}

async function digestOf(
  db: Kysely<Tables>,
  table: string,
  key: readonly string[],
  signal: AbortSignal,
): Promise<TableDigest> {
  let [rows, sum] = [0, 0n]
  for await (const batch of batchesOf(db, table, key)) {
    signal.throwIfAborted()
    rows += batch.length
    for (const row of batch) sum += BigInt(`0x${hash('sha256', textOf(table, row))}`)
  }
  return { rows, sum }
}

/** The same text for the same values of either database. */
function textOf(table: string, row: Row): string {
  const names = Object.keys(row).filter((name) => table !== 'blobs' || !readings.has(name))
  return JSON.stringify(names.sort().map((name) => [name, plainValue(row[name])]))
}

function plainValue(value: unknown): string | null {
  if (value === null) return null
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function openSource(at: RowsAt, stack: AsyncDisposableStack): Kysely<Tables> {
  if ('file' in at) return stack.use(openReader(at.file)).db
  return openServer(at.url, stack)
}

/** Runs work so that all of it is there when it ends, or nothing. */
type AtOnce = <Result>(work: (db: Kysely<Tables>) => Promise<Result>) => Promise<Result>

function openTarget(at: RowsAt, stack: AsyncDisposableStack): AtOnce {
  if ('url' in at) {
    const server = openServer(at.url, stack)
    return (work) => server.transaction().execute(work)
  }
  const { sqlite, db } = stack.use(openWriter(at.file))
  return async (work) => {
    sqlite.exec('BEGIN IMMEDIATE')
    try {
      const result = await work(db)
      sqlite.exec('COMMIT')
      return result
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
      throw error
    }
  }
}

function openServer(url: string, stack: AsyncDisposableStack): Kysely<Tables> {
  return stack.adopt(openPostgres(url, { connections: 1, isPatient: true }), (db) => db.destroy())
}

async function* batchesOf(
  db: Kysely<Tables>,
  table: string,
  key: readonly string[],
): AsyncGenerator<readonly Row[], void, undefined> {
  const columns = sql.join(key.map((name) => sql.ref(name)))
  const unfinished = table === 'uploads' ? sql`finished is not null` : sql`1 = 1`
  let after = sql`1 = 1`
  for (;;) {
    const { rows } = await sql<Row>`select * from ${sql.table(table)}
      where ${unfinished} and ${after} order by ${columns} limit ${sql.lit(batchSize)}`.execute(db)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return
    after = sql`(${columns}) > (${sql.join(key.map((name) => last[name]))})`
  }
}

async function insert(db: Kysely<Tables>, table: string, rows: readonly Row[]): Promise<void> {
  const names = Object.keys(rows[0] ?? {})
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const values = sql.join(rows.map((row) => sql`(${sql.join(names.map((name) => row[name]))})`))
  await sql`insert into ${sql.table(table)} (${columns}) values ${values}`.execute(db)
}
