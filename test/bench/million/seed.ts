import { Client } from 'pg'
import { openPostgres } from '../../../core/adapters/database/open-postgres.ts'
import { WordStore } from '../../../core/adapters/search/postgres/projection.ts'
import { metadataWithRows } from '../../../core/adapters/database/schema/0044-rows-counted.ts'
import type { SearchRow } from '../../../core/adapters/search/postgres/search-row.ts'
import { parseUserId } from '../../../core/index.ts'
import { Maker, ownersOf, type Made, type Owners } from '../filling.ts'
import { ownerEmail } from '../home.ts'
import { bare, insertRows } from './bulk.ts'
import { insertFiles } from './seed-files.ts'
import { filesEach, rowsOf, searchRowsOf, type SearchRows, type SeededRows } from './rows.ts'

/** Deposits that are inserted together. */
const batch = 2000

const tables = [
  'pids',
  'deposits',
  'buckets',
  'blobs',
  'files',
  'trashed_files',
  'file_versions',
  'record_revisions',
  'versions',
] as const
const searched = ['deposits', 'records'] as const

export interface Seeding {
  /** Of a database that a daemon has migrated. */
  readonly url: string
  readonly deposits: number
  readonly say: (line: string) => void
}

/**
 * Fills a database with deposits of ten files each, half of them published: a thousand of the
 * measured user, spread evenly among those of others, who have a thousand each.
 *
 * A million requests and ten million uploads would take days. So the program's own functions
 * (`rows.ts`, `WordStore`) make the rows, SQL makes those of files, and they are inserted while the
 * tables have no indexes. `seed.test.ts` compares them with those of requests.
 */
export async function seed({ url, deposits, say }: Seeding): Promise<void> {
  const client = new Client({ connectionString: url })
  const outside = openPostgres(url, { connections: 1 })
  await client.connect()
  try {
    await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '1GB'")
    // Triggers would search for the deposit of each record without an index.
    await client.query('SET session_replication_role = replica')
    const found = searched.flatMap((kind) => [`search_${kind}`, `search_${kind}_values`])
    const emptied = await bare(client, [...tables, ...found, 'search_changes'])
    await pour(client, new WordStore(outside), { url, deposits, say })
    await client.query(
      'INSERT INTO usage SELECT owner, sum(size) FROM blobs GROUP BY owner ' +
        'ON CONFLICT (owner) DO UPDATE SET byte_count = excluded.byte_count',
    )
    await client.query('DELETE FROM metadata_usage')
    await client.query(
      `INSERT INTO metadata_usage SELECT owner, 0, sum(bytes) FROM (${metadataWithRows}) AS metadata
       GROUP BY owner`,
    )
    await emptied.restore((name) => say(`  ${name}`))
    await client.query('VACUUM (ANALYZE)')
  } finally {
    await outside.destroy()
    await client.end()
  }
}

/** Makes the next rows while the previous ones are written. */
async function pour(client: Client, words: WordStore, { deposits, say }: Seeding): Promise<void> {
  const owners = await addOwners(client, deposits)
  const maker = new Maker()
  const make = (index: number): Made =>
    maker.make(index, {
      owner: owners.of(index),
      isPublished: owners.turnOf(index) % 2 === 1,
      revision: filesEach,
    })
  let writing = Promise.resolve()
  for (let first = 0; first < deposits; first += batch) {
    const count = Math.min(batch, deposits - first)
    const made = Array.from({ length: count }, (_, at) => make(first + at))
    const [rows, found] = [made.map(rowsOf), made.map(searchRowsOf)]
    await writing
    writing = write(client, words, rows, found)
    if (first % 100_000 === 0) say(`  ${first} deposits`)
  }
  await writing
}

async function addOwners(client: Client, deposits: number): Promise<Owners> {
  const { rows } = await client.query<{ readonly id: string }>(
    'SELECT id FROM accounts WHERE email = $1',
    [ownerEmail],
  )
  if (!rows[0]) throw new Error(`the database has no ${ownerEmail}`)
  const owners = ownersOf(parseUserId(rows[0].id), deposits)
  await insertRows(client, 'accounts', owners.accounts)
  return owners
}

async function write(
  client: Client,
  words: WordStore,
  rows: readonly SeededRows[],
  found: readonly SearchRows[],
): Promise<void> {
  const deposits = rows.map(({ deposit }) => deposit)
  const insert = (table: string, of: readonly object[]): Promise<void> =>
    insertRows(client, table, of)
  await insert('deposits', deposits)
  await insert(
    'versions',
    rows.map(({ version }) => version),
  )
  await insert(
    'numbers',
    deposits.map(({ id }) => ({ deposit_id: id })),
  )
  await insert(
    'pids',
    rows.flatMap(({ pids }) => pids),
  )
  await insert(
    'record_revisions',
    rows.flatMap(({ record }) => record ?? []),
  )
  const [ofDeposits, ofRecords] = [
    found.map(({ deposit }) => deposit),
    found.flatMap(({ record }) => record ?? []),
  ]
  await insertFound(client, 'deposits', ofDeposits, words)
  await insertFound(client, 'records', ofRecords, words)
  await insertFiles(client, deposits)
}

async function insertFound(
  client: Client,
  kind: (typeof searched)[number],
  found: readonly SearchRow[],
  store: WordStore,
): Promise<void> {
  await store.add(found.flatMap(({ words }) => words))
  const rows = found.map(({ values: _, words: __, schemaPath, ...row }) => ({
    ...row,
    schema_path: schemaPath,
  }))
  await insertRows(client, `search_${kind}`, rows)
  const values = found.flatMap(({ id, values: { fields, kinds, values: numbers } }) => {
    const [kindOf, valueOf] = [kinds.split(' '), numbers.split(' ')]
    const each = fields === '' ? [] : fields.split(' ')
    return each.map((field, at) => ({ id, field, kind: kindOf[at], value: valueOf[at] }))
  })
  await insertRows(client, `search_${kind}_values`, values)
  await client.query(
    'INSERT INTO search_changes SELECT $1, unnest($2::text[]), pg_current_xact_id()',
    [kind, found.map(({ id }) => id)],
  )
}
