import { sql, type Kysely, type SchemaModule } from 'kysely'
import { metadataWithHistory } from './0030-history.ts'
import type { Engine, Tables } from './tables.ts'

/** Comments and messages of reviews with whom they count: those of deleted users count no more. */
const countedComments = `
  SELECT account_id AS owner, octet_length(text) AS bytes FROM review_comments
    WHERE EXISTS (SELECT 1 FROM accounts WHERE accounts.id = account_id)`

/** As `metadataWithHistory`, with comments. */
export const metadataWithComments = `${metadataWithHistory} UNION ALL ${countedComments}`

/** Comments and messages of reviews count as metadata of those who wrote them. */
export async function commentsCounted(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  await schema
    .createIndex('review_comments_by_account')
    .on('review_comments')
    .columns(['account_id'])
    .execute()
  const first = `INSERT INTO metadata_usage (owner, slot, byte_count)
    SELECT owner, 0, sum(bytes) FROM (${countedComments}) AS counted WHERE bytes > 0 GROUP BY owner
    ${onConflict}`
  const triggers = engine === 'sqlite' ? sqliteTriggers : postgresTriggers
  for (const statement of [first, ...triggers]) await sql.raw(statement).execute(db)
}

const onConflict = `ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count`

const add = (row: 'old' | 'new', sign: '' | '-', slot: string): string => `
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT id, ${slot}, ${sign}octet_length(${row}.text) FROM accounts
    WHERE id = ${row}.account_id AND ${row}.text <> '' ${onConflict};`

/** The comments of an account that is removed stay, and count no more. */
const leave = (slot: string): string => `
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT account_id, ${slot}, -sum(octet_length(text)) FROM review_comments
    WHERE account_id = old.id GROUP BY account_id ${onConflict};`

const sqliteTriggers = [
  `CREATE TRIGGER review_comments_metadata_inserted AFTER INSERT ON review_comments
    BEGIN ${add('new', '', '0')} END`,
  `CREATE TRIGGER review_comments_metadata_deleted AFTER DELETE ON review_comments
    BEGIN ${add('old', '-', '0')} END`,
  `CREATE TRIGGER review_comments_metadata_moved AFTER UPDATE OF account_id ON review_comments
    BEGIN ${add('old', '-', '0')} ${add('new', '', '0')} END`,
  `CREATE TRIGGER accounts_comments_left AFTER DELETE ON accounts BEGIN ${leave('0')} END`,
]

const slot = 'pg_backend_pid() % 64'

const postgresTriggers = [
  `CREATE FUNCTION review_comments_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN ${add('old', '-', slot)} END IF;
      IF TG_OP <> 'DELETE' THEN ${add('new', '', slot)} END IF;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER review_comments_metadata AFTER INSERT OR DELETE OR UPDATE OF account_id
    ON review_comments FOR EACH ROW EXECUTE FUNCTION review_comments_metadata()`,
  `CREATE FUNCTION accounts_comments_left() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN ${leave(slot)} RETURN NULL; END $$`,
  `CREATE TRIGGER accounts_comments_left AFTER DELETE ON accounts
    FOR EACH ROW EXECUTE FUNCTION accounts_comments_left()`,
]
