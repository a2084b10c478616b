import { sql, type Kysely, type SchemaModule } from 'kysely'
import type { Tables, Engine } from './tables.ts'

/** Bytes of metadata with whom they belong to, a row for each document and answer. */
export const metadataRows = `
  SELECT owner, octet_length(document) AS bytes FROM deposits
  UNION ALL SELECT deposits.owner, octet_length(published.document)
    FROM record_revisions AS published JOIN deposits ON deposits.bucket_id = published.bucket_id
  UNION ALL SELECT account_id, octet_length(answer) FROM answers`

/**
 * How many bytes of metadata each user has: of documents, of what was published of them, and of
 * answers kept. Triggers add to it, so that nothing is added up when a limit is looked at. In
 * PostgreSQL every connection has a row of its own, within a number of slots: none waits for
 * another until that has committed.
 */
export async function metadataUsage(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  await schema
    .createTable('metadata_usage')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('byte_count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('metadata_usage_primary', ['owner', 'slot'])
    .execute()
  const first = `INSERT INTO metadata_usage
    SELECT owner, 0, sum(bytes) FROM (${metadataRows}) AS metadata GROUP BY owner`
  const triggers = engine === 'sqlite' ? sqliteTriggers : postgresTriggers
  for (const statement of [first, ...triggers]) await sql.raw(statement).execute(db)
}

/** Bytes of a deposit's document, and of the revisions of its record. */
const bytesOf = (row: string): string => `octet_length(${row}.document) + coalesce(
  (SELECT sum(octet_length(document)) FROM record_revisions
   WHERE bucket_id = ${row}.bucket_id), 0)`

const ownerOf = (row: string): string =>
  `(SELECT owner FROM deposits WHERE bucket_id = ${row}.bucket_id)`

const add = (owner: string, bytes: string, slot: string): string => `
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT ${owner}, ${slot}, ${bytes} WHERE ${owner} IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count;`

type Charge = readonly [owner: string, bytes: string]

interface Watched {
  readonly table: string
  readonly column: 'document' | 'answer'
  /** Whose the bytes of a row are, and how many come with it, or go. */
  readonly charge: (row: 'old' | 'new') => Charge
  /** As `charge`, of a row that was just made. */
  readonly first?: Charge
  /** Whether a change leaves the bytes with the same user. */
  readonly isSame: string
}

const answers: Watched = {
  table: 'answers',
  column: 'answer',
  charge: (row) => [`${row}.account_id`, `octet_length(${row}.answer)`],
  isSame: 'old.account_id = new.account_id',
}

const watched: readonly Watched[] = [
  {
    table: 'deposits',
    column: 'document',
    charge: (row) => [`${row}.owner`, bytesOf(row)],
    // No record has a bucket before its deposit has it: there is nothing to look for.
    first: ['new.owner', 'octet_length(new.document)'],
    isSame: 'old.owner = new.owner',
  },
  {
    table: 'record_revisions',
    column: 'document',
    charge: (row) => [ownerOf(row), `octet_length(${row}.document)`],
    isSame: 'old.bucket_id = new.bucket_id',
  },
  answers,
]

const negative = ([owner, bytes]: Charge): Charge => [owner, `-(${bytes})`]

/** @param slot the sums that the bytes are added to */
const sqliteTriggersOf = (
  { table, column, charge, isSame, first = charge('new') }: Watched,
  slot: string,
): readonly string[] => {
  const bytes = `octet_length(new.${column}) - octet_length(old.${column})`
  const adding = (...charges: readonly Charge[]): string =>
    charges.map(([owner, more]) => add(owner, more, slot)).join('')
  const [owner] = charge('new')
  const trigger = (name: string, event: string, work: string): string =>
    `CREATE TRIGGER ${table}_metadata_${name} AFTER ${event} BEGIN ${work} END`
  return [
    trigger('inserted', `INSERT ON ${table}`, adding(first)),
    trigger('deleted', `DELETE ON ${table}`, adding(negative(charge('old')))),
    trigger(
      'updated',
      `UPDATE OF ${column} ON ${table} WHEN ${isSame} AND ${bytes} <> 0`,
      adding([owner, bytes]),
    ),
    trigger(
      'moved',
      `UPDATE ON ${table} WHEN NOT (${isSame})`,
      adding(negative(charge('old')), charge('new')),
    ),
  ]
}

const sqliteTriggers = watched.flatMap((each) => sqliteTriggersOf(each, '0'))

const postgresFunctionOf = (
  { table, column, charge, isSame, first = charge('new') }: Watched,
  slot: string,
): string => {
  const bytes = `octet_length(new.${column}) - octet_length(old.${column})`
  const adding = (...charges: readonly Charge[]): string =>
    charges.map(([owner, more]) => add(owner, more, slot)).join('')
  const [owner] = charge('new')
  return `FUNCTION ${table}_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN ${adding(first)}
      ELSIF TG_OP = 'DELETE' THEN ${adding(negative(charge('old')))}
      ELSIF NOT (${isSame}) THEN ${adding(negative(charge('old')), charge('new'))}
      ELSIF ${bytes} <> 0 THEN ${adding([owner, bytes])}
      END IF;
      RETURN NULL;
    END $$`
}

const postgresTriggers = watched.flatMap((each) => [
  `CREATE ${postgresFunctionOf(each, 'pg_backend_pid() % 64')}`,
  `CREATE TRIGGER ${each.table}_metadata AFTER INSERT OR DELETE OR UPDATE ON ${each.table}
      FOR EACH ROW EXECUTE FUNCTION ${each.table}_metadata()`,
])

/** Adds the bytes of answers to other sums from now on, on SQLite. */
export const answersToSlotSqlite = (slot: string): readonly string[] => [
  ...['inserted', 'deleted', 'updated', 'moved'].map(
    (name) => `DROP TRIGGER answers_metadata_${name}`,
  ),
  ...sqliteTriggersOf(answers, slot),
]

/** The same on PostgreSQL. */
export const answersToSlotPostgres = (slot: string): readonly string[] => [
  `CREATE OR REPLACE ${postgresFunctionOf(answers, slot)}`,
]
