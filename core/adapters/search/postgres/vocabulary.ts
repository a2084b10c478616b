import type { Kysely } from 'kysely'
import { setImmediate } from 'node:timers/promises'
import type { Condition, WantedWord, WordsCondition } from '../../../search/conditions.ts'
import { isWithinEdits } from '../../../search/edit-distance.ts'
import { hasWordsIn } from '../../../search/match.ts'
import type { SchemaUrl } from '../../../deposit/document.ts'
import type { Tables } from '../../database/tables.ts'
import type { Vocabulary } from './postgres-language.ts'
import { runSql } from './run-sql.ts'

/** Words that are compared before others get a turn. */
const batchSize = 5000

/**
 * Looks up all that a condition needs to be planned: no extension of the server that measures how
 * near words are is asked for, so the words come here, a batch at a time.
 */
export async function lookUp(
  db: Kysely<Tables>,
  table: string,
  condition: Condition,
  schemaUrl: SchemaUrl,
): Promise<Vocabulary> {
  const wanted = wordsIn(condition)
  const near = new Map<string, readonly string[]>()
  for (const word of wanted.flatMap(({ words }) => words)) {
    if (typeof word.match === 'number') near.set(keyOf(word), await findNear(db, word, word.match))
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

async function findNear(
  db: Kysely<Tables>,
  { word }: WantedWord,
  edits: 1 | 2,
): Promise<readonly string[]> {
  const near: string[] = []
  let last = ''
  for (;;) {
    const rows = await runSql<{ readonly word: string }>(db, {
      sql:
        'SELECT word FROM search_words WHERE word > ? ' +
        'AND char_length(word) BETWEEN ? AND ? ORDER BY word LIMIT ?',
      // Edits are counted in UTF-16 units, of which a character has two at most.
      values: [last, Math.floor((word.length - edits) / 2), word.length + edits, batchSize],
    })
    near.push(...rows.map((row) => row.word).filter((found) => isWithinEdits(found, word, edits)))
    const end = rows.at(-1)
    if (!end || rows.length < batchSize) return near
    last = end.word
    await setImmediate()
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
