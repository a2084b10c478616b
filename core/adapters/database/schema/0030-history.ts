import { sql, type Kysely, type SchemaModule } from 'kysely'
import { metadataRows } from './0021-metadata-usage.ts'
import type { Engine, Tables } from './tables.ts'

/** As `metadataRows`, with the patches of histories. */
export const metadataWithHistory = `${metadataRows}
  UNION ALL SELECT owner, octet_length(patch) + octet_length(undo)
    FROM history JOIN deposits ON deposits.id = deposit_id`

/**
 * The changes of documents of deposits, which count as metadata of the owner; and files that were
 * deleted from drafts and can be brought back. Their older versions stay where they are.
 */
export async function history(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  await schema
    .createTable('history')
    .addColumn('deposit_id', 'text', (column) => column.notNull())
    .addColumn('n', 'integer', (column) => column.notNull())
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('total', 'bigint', (column) => column.notNull())
    .addColumn('since', 'integer', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('made_by', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('undone_to', 'integer')
    .addColumn('record_revision', 'integer')
    .addColumn('patch', 'text', (column) => column.notNull())
    .addColumn('undo', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('history_primary', ['deposit_id', 'n'])
    .execute()
  await schema.createIndex('history_by_at').on('history').column('at').execute()
  await schema
    .createTable('trashed_files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('version_id', 'text', (column) => column.notNull())
    .addColumn('blob_id', 'text', (column) => column.notNull().references('blobs.id'))
    .addColumn('storage_class', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('deleted', 'text', (column) => column.notNull())
    .addColumn('deleted_by', 'text', (column) => column.notNull())
    .execute()
  const indexes = [['bucket_id', 'deleted'], ['blob_id'], ['deleted']]
  for (const columns of indexes) {
    const name = `trashed_files_by_${columns.join('_')}`
    await schema.createIndex(name).on('trashed_files').columns(columns).execute()
  }
  const triggers = engine === 'sqlite' ? sqliteTriggers : postgresTriggers
  for (const statement of triggers) await sql.raw(statement).execute(db)
}

const ownerOf = (row: 'old' | 'new'): string =>
  `(SELECT owner FROM deposits WHERE id = ${row}.deposit_id)`

const bytesOf = (row: 'old' | 'new'): string =>
  `octet_length(${row}.patch) + octet_length(${row}.undo)`

/** Bytes of the history of a deposit that goes from one owner to another. */
const allOf = (row: 'old' | 'new'): string =>
  `coalesce((SELECT sum(octet_length(patch) + octet_length(undo)) FROM history
    WHERE deposit_id = ${row}.id), 0)`

const add = (owner: string, bytes: string, slot: string): string => `
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT ${owner}, ${slot}, ${bytes} WHERE ${owner} IS NOT NULL
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count;`

const moving = (slot: string): string =>
  add('old.owner', `-${allOf('old')}`, slot) + add('new.owner', allOf('new'), slot)

const sqliteTriggers = [
  `CREATE TRIGGER history_metadata_inserted AFTER INSERT ON history
    BEGIN ${add(ownerOf('new'), bytesOf('new'), '0')} END`,
  `CREATE TRIGGER history_metadata_deleted AFTER DELETE ON history
    BEGIN ${add(ownerOf('old'), `-(${bytesOf('old')})`, '0')} END`,
  `CREATE TRIGGER history_metadata_moved AFTER UPDATE OF owner ON deposits
    WHEN old.owner <> new.owner BEGIN ${moving('0')} END`,
]

const slot = 'pg_backend_pid() % 64'

const postgresTriggers = [
  `CREATE FUNCTION history_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN ${add(ownerOf('new'), bytesOf('new'), slot)}
      ELSE ${add(ownerOf('old'), `-(${bytesOf('old')})`, slot)}
      END IF;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER history_metadata AFTER INSERT OR DELETE ON history
    FOR EACH ROW EXECUTE FUNCTION history_metadata()`,
  `CREATE FUNCTION history_metadata_moved() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN ${moving(slot)} RETURN NULL; END $$`,
  `CREATE TRIGGER history_metadata_moved AFTER UPDATE OF owner ON deposits
    FOR EACH ROW WHEN (old.owner <> new.owner) EXECUTE FUNCTION history_metadata_moved()`,
]
