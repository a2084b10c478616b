import { sql, type Kysely, type SchemaModule } from 'kysely'
import { metadataWithComments } from './0038-comments-counted.ts'
import type { Engine, Tables } from './tables.ts'

/** Bytes that each row counts. */
const each = 512

/** Those of a row that has a key. */
const named = `${each} + octet_length(key)`

/** Rows of files, of their older versions and of deleted files, with whom they count. */
const countedRows = ['files', 'trashed_files']
  .flatMap((table) => [
    `SELECT owner, ${named} AS bytes
      FROM ${table} JOIN deposits ON deposits.bucket_id = ${table}.bucket_id`,
    `SELECT owner, ${each} FROM file_versions JOIN ${table} ON ${table}.id = file_id
      JOIN deposits ON deposits.bucket_id = ${table}.bucket_id`,
  ])
  .join(' UNION ALL ')

/** As `metadataWithComments`, with rows of files. */
export const metadataWithRows = `${metadataWithComments} UNION ALL ${countedRows}`

/**
 * Each file, each older version of one and each deleted file counts as metadata of the owner of its
 * deposit, whatever bytes it has: many versions of an empty file take room as well.
 */
export async function rowsCounted(
  _schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  const triggers = engine === 'sqlite' ? sqliteTriggers : postgresTriggers
  const first = `INSERT INTO metadata_usage (owner, slot, byte_count)
    SELECT owner, 0, sum(bytes) FROM (${countedRows}) AS counted WHERE bytes > 0 GROUP BY owner
    ${onConflict}`
  for (const statement of [...triggers, first]) await sql.raw(statement).execute(db)
}

const onConflict = `ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count`

/** The bucket of a file, deleted or not. */
const bucketOf = (file: string): string => `coalesce(
    (SELECT bucket_id FROM files WHERE id = ${file}),
    (SELECT bucket_id FROM trashed_files WHERE id = ${file}))`

/** All that the rows of a deposit count. */
const allOf = (bucket: string): string => {
  const of = (table: string): string => `coalesce(
    (SELECT sum(${named}) FROM ${table} WHERE bucket_id = ${bucket}), 0)`
  const versions = (table: string): string => `${each} * (SELECT count(*) FROM file_versions
    WHERE file_id IN (SELECT id FROM ${table} WHERE bucket_id = ${bucket}))`
  return ['files', 'trashed_files'].flatMap((table) => [of(table), versions(table)]).join(' + ')
}

/** Lets the rows of a deposit count with another owner. */
const moving = (slot: string): string => `
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT side.owner, ${slot}, sign * bytes FROM (SELECT ${allOf('new.bucket_id')} AS bytes) AS moved,
    (SELECT old.owner AS owner, -1 AS sign UNION ALL SELECT new.owner, 1) AS side
    WHERE bytes > 0 ${onConflict};`

/** Adds bytes of one row on SQLite. */
const addOne = (bucket: string, bytes: string): string => `
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, 0, ${bytes} FROM deposits WHERE bucket_id = ${bucket} ${onConflict};`

const ofKey = (row: 'old' | 'new'): string => `${each} + octet_length(${row}.key)`

const sqliteTriggers = [
  ...['files', 'trashed_files'].flatMap((table) => [
    `CREATE TRIGGER ${table}_row_inserted AFTER INSERT ON ${table}
      BEGIN ${addOne('new.bucket_id', ofKey('new'))} END`,
    `CREATE TRIGGER ${table}_row_deleted AFTER DELETE ON ${table}
      BEGIN ${addOne('old.bucket_id', `-(${ofKey('old')})`)} END`,
  ]),
  `CREATE TRIGGER files_row_renamed AFTER UPDATE OF key ON files
    WHEN octet_length(old.key) <> octet_length(new.key)
    BEGIN ${addOne('new.bucket_id', 'octet_length(new.key) - octet_length(old.key)')} END`,
  `CREATE TRIGGER file_versions_row_inserted AFTER INSERT ON file_versions
    BEGIN ${addOne(bucketOf('new.file_id'), String(each))} END`,
  `CREATE TRIGGER file_versions_row_deleted AFTER DELETE ON file_versions
    BEGIN ${addOne(bucketOf('old.file_id'), `-${each}`)} END`,
  `CREATE TRIGGER deposits_rows_moved AFTER UPDATE OF owner ON deposits
    WHEN old.owner <> new.owner BEGIN ${moving('0')} END`,
]

const slot = 'pg_backend_pid() % 64'

/**
 * Adds the bytes of the rows that a statement has made or removed: once, however many there are. The
 * owner is looked up in a subquery of its own, so that a plan which was made for many rows looks for
 * one by an index as well.
 *
 * @param counted selects the bytes of each bucket
 */
const addAll = (counted: string, sign: '' | '-'): string => `
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, ${slot}, ${sign}sum(bytes) FROM (SELECT
      (SELECT owner FROM deposits WHERE deposits.bucket_id = counted.bucket_id) AS owner, bytes
      FROM (${counted}) AS counted) AS owned
    WHERE owner IS NOT NULL GROUP BY owner ORDER BY owner ${onConflict};`

const byBucket = (rows: string): string =>
  `SELECT bucket_id, sum(${named}) AS bytes FROM ${rows} GROUP BY bucket_id`

const versionsByBucket = (rows: string): string => `
  SELECT ${bucketOf('versions.file_id')} AS bucket_id, ${each} * number AS bytes
    FROM (SELECT file_id, count(*) AS number FROM ${rows} GROUP BY file_id) AS versions`

/** Counts the rows of a table from now on, a statement at a time. */
const counting = (table: string, sum: (rows: string) => string): readonly string[] => [
  `CREATE FUNCTION ${table}_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN ${addAll(sum('made'), '')}
      ELSE ${addAll(sum('gone'), '-')}
      END IF;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER ${table}_rows_inserted AFTER INSERT ON ${table} REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION ${table}_rows()`,
  `CREATE TRIGGER ${table}_rows_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION ${table}_rows()`,
]

const postgresTriggers = [
  ...counting('files', byBucket),
  ...counting('trashed_files', byBucket),
  ...counting('file_versions', versionsByBucket),
  `CREATE FUNCTION files_row_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO metadata_usage (owner, slot, byte_count)
      SELECT owner, ${slot}, octet_length(new.key) - octet_length(old.key)
        FROM deposits WHERE bucket_id = new.bucket_id ${onConflict};
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER files_row_renamed AFTER UPDATE OF key ON files FOR EACH ROW
    WHEN (octet_length(old.key) <> octet_length(new.key)) EXECUTE FUNCTION files_row_renamed()`,
  `CREATE FUNCTION deposits_rows_moved() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN ${moving(slot)} RETURN NULL; END $$`,
  `CREATE TRIGGER deposits_rows_moved AFTER UPDATE OF owner ON deposits
    FOR EACH ROW WHEN (old.owner <> new.owner) EXECUTE FUNCTION deposits_rows_moved()`,
]
