import { sql, type Kysely, type SchemaModule } from 'kysely'
import { mintRecid } from '../../../pid/record-minters.ts'
import type { Tables, Engine } from './tables.ts'

/**
 * The concept of each deposit, and the number of the version that its record is. Deposits from
 * before get concepts by following their predecessors. The rows are in a table of their own, so that
 * no row with a document has to be written again.
 */
export async function concepts(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  const run = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
  await schema
    .createTable('versions')
    .addColumn('deposit_id', 'text', (column) => column.primaryKey())
    .addColumn('concept', 'text', (column) => column.notNull())
    .addColumn('number', 'integer')
    .addColumn('record', 'text')
    .execute()
  await schema
    .alterTable('record_revisions')
    .addColumn('superseded', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await run([firstVersions(engine)])
  await mintOthers(db)
  await run(['CREATE UNIQUE INDEX versions_by_record ON versions (record)'])
  // PostgreSQL plans by what it knows of a table. In SQLite this would leave statistics of one table.
  if (engine === 'postgres') await run(['ANALYZE versions'])
  await run(laterVersions)
  if (engine === 'postgres') await run(['ANALYZE later_versions'])
  await run(chains)
  await run(['CREATE UNIQUE INDEX versions_by_concept ON versions (concept, number)', ...marks])
  await run([identifiers(engine)])
  await schema
    .createIndex('record_revisions_newest')
    .on('record_revisions')
    .columns(['updated desc', 'pid_value'])
    .where(sql<boolean>`latest = 1 and superseded = 0`)
    .execute()
  await run(engine === 'sqlite' ? counts : [staleIndex])
}

/**
 * Each deposit as the first version of its concept, whose identifier is `conceptOfOld` in
 * `core/pid/record-minters.ts`.
 */
function firstVersions(engine: Engine): string {
  const [isOurs, find] =
    engine === 'sqlite'
      ? [`substr(id, 1, 10) NOT GLOB '*[^0-9a-f]*' AND length(id) >= 10`, 'instr']
      : [`id ~ '^[0-9a-f]{10}'`, 'strpos']
  const bits = Array.from(
    { length: 10 },
    (_, at) =>
      `CAST(${find}('123456789abcdef', substr(id, ${at + 1}, 1)) AS bigint) * ${2 ** (4 * (9 - at))}`,
  )
  const digits = Array.from(
    { length: 8 },
    (_, at) =>
      `substr('0123456789abcdefghjkmnpqrstvwxyz', CAST((bits >> ${5 * (7 - at)}) & 31 AS integer) + 1, 1)`,
  )
  const check = 'substr(CAST(198 - (bits * 100) % 97 AS text), 2)'
  const value = [...digits.slice(0, 5), `'-'`, ...digits.slice(5), check].join(' || ')
  return `INSERT INTO versions (deposit_id, concept, number, record)
    WITH numbered AS MATERIALIZED
      (SELECT id, record_value, ${bits.join(' + ')} AS bits
        FROM deposits WHERE ${isOurs})
    SELECT id, ${value}, CASE WHEN record_value IS NOT NULL THEN 1 END, record_value
    FROM numbered`
}

/**
 * Mints concepts where the deposit has an identifier that is not of ours, or where two of a million
 * come to have the same. Manifests, which would not tell them, are written again.
 */
async function mintOthers(db: Kysely<Tables>): Promise<void> {
  await sql`insert into versions (deposit_id, concept, number, record)
    select id, '', case when record_value is not null then 1 end, record_value from deposits
    where not exists (select 1 from versions where deposit_id = id)`.execute(db)
  for (;;) {
    const { rows } = await sql<{ readonly deposit_id: string; readonly record: string | null }>`
      select deposit_id, record from versions where concept = '' or concept in
        (select concept from versions group by concept having count(*) > 1)
      union select deposit_id, record from versions
        join pids on pid_type = 'recid' and pid_value = concept`.execute(db)
    for (const { deposit_id: id, record } of rows) {
      const { value: concept } = mintRecid()
      await db.updateTable('versions').set({ concept }).where('deposit_id', '=', id).execute()
      const revisions = db.updateTable('record_revisions').set({ manifested: 0 })
      if (record !== null) await revisions.where('pid_value', '=', record).execute()
    }
    if (rows.length === 0) return
  }
}

/**
 * Later versions get the concept of the first one, and numbers in the order of publishing. Where
 * several were made from the same record, they become one chain.
 */
const laterVersions = [
  `CREATE TEMPORARY TABLE later_versions AS
    WITH RECURSIVE line (deposit_id, concept, record, depth) AS (
      SELECT first.deposit_id, first.concept, first.record, 0
        FROM (SELECT DISTINCT predecessor FROM deposits WHERE predecessor IS NOT NULL) AS named
        JOIN versions AS first ON first.record = named.predecessor
        JOIN deposits ON deposits.id = first.deposit_id
        WHERE deposits.predecessor IS NULL OR NOT EXISTS
          (SELECT 1 FROM versions AS before WHERE before.record = deposits.predecessor)
      UNION ALL
      SELECT deposits.id, line.concept, deposits.record_value, line.depth + 1
        FROM line JOIN deposits ON deposits.predecessor = line.record)
    SELECT line.deposit_id, line.concept, CASE WHEN line.record IS NOT NULL THEN
      row_number() OVER (PARTITION BY line.concept
        ORDER BY revisions.created IS NULL, revisions.created, line.depth, line.record) END AS number
    FROM line LEFT JOIN record_revisions AS revisions
      ON revisions.pid_value = line.record AND revisions.revision = 0`,
]

const chains = [
  `UPDATE versions SET concept = later.concept, number = later.number
    FROM later_versions AS later WHERE later.deposit_id = versions.deposit_id`,
  'DROP TABLE later_versions',
]

/** The version before each that is not the first. */
const following = `(SELECT later.record AS record, before.record AS predecessor
  FROM versions AS later JOIN versions AS before ON before.concept = later.concept
    AND before.number = later.number - 1 WHERE later.number > 1)`

const marks = [
  `UPDATE record_revisions SET superseded = 1
    WHERE pid_value IN (SELECT predecessor FROM ${following} AS following)`,
  `UPDATE record_revisions SET predecessor = following.predecessor, manifested = 0
    FROM ${following} AS following WHERE following.record = record_revisions.pid_value
      AND record_revisions.predecessor IS DISTINCT FROM following.predecessor`,
  `UPDATE deposits SET predecessor = following.predecessor
    FROM ${following} AS following WHERE following.record = deposits.record_value
      AND deposits.predecessor IS DISTINCT FROM following.predecessor`,
]

function identifiers(engine: Engine): string {
  const hex = (bytes: number): string => `lower(hex(randomblob(${bytes})))`
  const uuid =
    engine === 'sqlite'
      ? `${hex(4)} || '-' || ${hex(2)} || '-4' || substr(${hex(2)}, 2) || '-a' ||
          substr(${hex(2)}, 2) || '-' || ${hex(6)}`
      : 'CAST(gen_random_uuid() AS text)'
  return `INSERT INTO pids (pid_type, pid_value, object_type, object_uuid, status)
    SELECT 'recid', concept, 'concept', ${uuid}, 'K' FROM (SELECT DISTINCT concept FROM versions) AS named`
}

const add = (amount: string): string =>
  `UPDATE kept_counts SET count = count + (${amount}) WHERE kind = 'newest'`

const isNewest = (row: string): string => `(${row}.latest = 1 AND ${row}.superseded = 0)`

/** Records without those that a later version has superseded, counted as the others (0014). */
const counts = [
  `INSERT INTO kept_counts VALUES ('newest',
    (SELECT count(*) FROM record_revisions WHERE latest = 1 AND superseded = 0))`,
  `CREATE TRIGGER newest_count_inserted AFTER INSERT ON record_revisions WHEN ${isNewest('new')}
    BEGIN ${add('1')}; END`,
  `CREATE TRIGGER newest_count_deleted AFTER DELETE ON record_revisions WHEN ${isNewest('old')}
    BEGIN ${add('-1')}; END`,
  `CREATE TRIGGER newest_count_updated AFTER UPDATE OF latest, superseded ON record_revisions
    WHEN ${isNewest('old')} <> ${isNewest('new')}
    BEGIN ${add(`${isNewest('new')} - ${isNewest('old')}`)}; END`,
]

/** The search of PostgreSQL is built again where it has records that are superseded. */
const staleIndex = `DELETE FROM search_state
  WHERE EXISTS (SELECT 1 FROM record_revisions WHERE superseded = 1)`
