import { sql, type Kysely, type SchemaModule } from 'kysely'
import type { Tables, Engine } from './tables.ts'

/**
 * Counts of records, and of shown deposits by status. Counting all rows blocks the event loop.
 * SQLite has one writer, so triggers add no waiting, and a rollback undoes their counts too.
 * PostgreSQL counts otherwise (0013-kept-counts.ts).
 */
export async function countsByTriggers(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  if (engine !== 'sqlite') return
  await schema
    .createTable('kept_counts')
    .addColumn('kind', 'text', (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .execute()
  for (const statement of [...firstCounts, ...triggers]) await sql.raw(statement).execute(db)
}

const shown = 'SELECT count(*) FROM deposits WHERE hidden IS NULL AND status ='

const firstCounts = [
  `INSERT INTO kept_counts VALUES ('draft', (${shown} 'draft'))`,
  `INSERT INTO kept_counts VALUES ('published', (${shown} 'published'))`,
  `INSERT INTO kept_counts VALUES ('records',
    (SELECT count(*) FROM record_revisions WHERE latest = 1))`,
]

const add = (amount: string, kind: string): string =>
  `UPDATE kept_counts SET count = count + (${amount}) WHERE kind = ${kind}`

const triggers = [
  `CREATE TRIGGER deposits_count_inserted AFTER INSERT ON deposits
    BEGIN ${add('new.hidden IS NULL', 'new.status')}; END`,
  `CREATE TRIGGER deposits_count_deleted AFTER DELETE ON deposits
    BEGIN ${add('-(old.hidden IS NULL)', 'old.status')}; END`,
  `CREATE TRIGGER deposits_count_updated AFTER UPDATE OF status, hidden ON deposits
    WHEN old.status <> new.status OR old.hidden IS NOT new.hidden
    BEGIN ${add('-(old.hidden IS NULL)', 'old.status')};
      ${add('new.hidden IS NULL', 'new.status')}; END`,
  `CREATE TRIGGER records_count_inserted AFTER INSERT ON record_revisions WHEN new.latest = 1
    BEGIN ${add('1', "'records'")}; END`,
  `CREATE TRIGGER records_count_deleted AFTER DELETE ON record_revisions WHEN old.latest = 1
    BEGIN ${add('-1', "'records'")}; END`,
  `CREATE TRIGGER records_count_updated AFTER UPDATE OF latest ON record_revisions
    WHEN old.latest <> new.latest
    BEGIN ${add('new.latest - old.latest', "'records'")}; END`,
]
