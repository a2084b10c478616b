import { sql, type Kysely, type SchemaModule } from 'kysely'
import { answersToSlotPostgres, answersToSlotSqlite } from './0021-metadata-usage.ts'
import type { Engine, Tables } from './tables.ts'

/** Slots of `metadata_usage` from this one on count answers kept, those before it all else. */
export const firstSlotOfAnswers = 64

/** Answers kept are counted apart, so that a user can be told how much of a quota they are. */
export async function usageOfAnswers(
  _schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  const triggers =
    engine === 'sqlite'
      ? answersToSlotSqlite(String(firstSlotOfAnswers))
      : answersToSlotPostgres(`${firstSlotOfAnswers} + pg_backend_pid() % 64`)
  const statements = [...triggers, add(firstSlotOfAnswers, ''), add(0, '-')]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const add = (slot: number, sign: '' | '-'): string => `
  INSERT INTO metadata_usage (owner, slot, byte_count)
  SELECT owner, ${slot}, ${sign}sum(bytes)
    FROM (SELECT account_id AS owner, octet_length(answer) AS bytes FROM answers) AS kept
    WHERE bytes > 0 GROUP BY owner
  ON CONFLICT (owner, slot)
  DO UPDATE SET byte_count = metadata_usage.byte_count + excluded.byte_count`
