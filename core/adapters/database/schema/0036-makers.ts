import { sql, type Kysely, type SchemaModule } from 'kysely'
import type { Engine, Tables } from './tables.ts'

/**
 * Who changed a draft since it was last published, beside its creator. The histories of drafts tell
 * it so far; changes of files are in none.
 */
export async function makers(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  await schema.alterTable('deposits').addColumn('makers', 'text').execute()
  const list = engine === 'sqlite' ? 'json_group_array(DISTINCT maker)' : 'json_agg(DISTINCT maker)'
  // The changes of a link are those of the user who made it.
  const changes = `SELECT coalesce(links.created_by, made_by) AS maker FROM history
    LEFT JOIN links ON links.id = CASE WHEN made_by LIKE 'link:%' THEN substr(made_by, 6) END
    WHERE history.deposit_id = deposits.id
    AND history.record_revision IS NOT DISTINCT FROM deposits.record_revision`
  const others = `FROM (${changes}) AS changes
    WHERE maker NOT IN ('', 'system', created_by) AND maker NOT LIKE 'link:%'`
  await sql
    .raw(
      `UPDATE deposits SET makers = (SELECT CAST(${list} AS text) ${others})
       WHERE status = 'draft' AND EXISTS (SELECT 1 ${others})`,
    )
    .execute(db)
}
