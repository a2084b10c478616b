import type { Kysely } from 'kysely'
import type { Condition, WantedWord, WordsCondition } from '../../../search/conditions.ts'
import { hasWordsIn } from '../../../search/match.ts'
import type { SchemaUrl } from '../../../deposit/document.ts'
import type { Tables } from '../../database/schema/tables.ts'
import type { Vocabulary } from './postgres-language.ts'
import { findNear } from './near-words.ts'
import { runSql } from '../../database/open-postgres.ts'

/** Looks up all that a condition needs to be planned. */
export async function lookUp(
  db: Kysely<Tables>,
  table: string,
  condition: Condition,
  schemaUrl: SchemaUrl,
): Promise<Vocabulary> {
  const wanted = wordsIn(condition)
  const near = new Map<string, readonly string[]>()
  for (const wantedWord of wanted.flatMap(({ words }) => words)) {
    const { word, match } = wantedWord
    if (typeof match === 'number') near.set(keyOf(wantedWord), await findNear(db, word, match))
  }
  const asksSchemas = wanted.some(({ field }) => field?.[0] === '$schema')
  const paths = asksSchemas ? await schemaPaths(db, table) : []
  return {
    near: (word) => near.get(keyOf(word)) ?? [],
    schemas: ({ words }) => paths.filter((path) => hasWordsIn(schemaUrl(path), words)),
  }
}

function keyOf({ word, match }: WantedWord): string {
  return `${match} ${word}`
}

function wordsIn(condition: Condition): readonly WordsCondition[] {
  switch (condition.type) {
    case 'words':
      return [condition]
    case 'and':
    case 'or':
      return condition.conditions.flatMap(wordsIn)
    case 'not':
      return wordsIn(condition.condition)
    case 'all':
    case 'none':
    case 'range':
    case 'exists':
      return []
  }
}

/** All there are, by one step of the index for each: there are few, of any number of documents. */
async function schemaPaths(db: Kysely<Tables>, table: string): Promise<readonly string[]> {
  const next = (condition: string) => `(SELECT min(schema_path) FROM ${table} ${condition})`
  const rows = await runSql<{ readonly path: string }>(db, {
    sql:
      `WITH RECURSIVE paths AS (SELECT ${next('')} AS path UNION ALL ` +
      `SELECT ${next('WHERE schema_path > paths.path')} FROM paths WHERE paths.path IS NOT NULL) ` +
      'SELECT path FROM paths WHERE path IS NOT NULL',
    values: [],
  })
  return rows.map(({ path }) => path)
}
