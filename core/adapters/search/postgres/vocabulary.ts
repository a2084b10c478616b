import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Condition, WantedWord, WordsCondition } from '../../../search/conditions.ts'
import { hasWordsIn } from '../../../search/match.ts'
import { isWithinEdits, piecesNear, type Piece } from '../../../search/word-pieces.ts'
import type { SchemaUrl } from '../../../deposit/document.ts'
import type { Tables } from '../../database/schema/tables.ts'
import type { Vocabulary } from './postgres-language.ts'
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

/** Words that are compared before others get a turn. */
const batchSize = 5000

/** The pieces of a word, as the indexes have them that 0012-word-pieces.ts made. */
const pieceAt = {
  0: 'left(word, char_length(word) / 3)',
  1: 'substr(word, char_length(word) / 3 + 1, char_length(word) / 3)',
  2: 'substr(word, char_length(word) / 3 * 2 + 1)',
} as const satisfies Record<Piece['place'], string>

/**
 * The words of all documents within `edits` of `word`. The server needs no extension for it: it
 * finds those that have a piece in common, and they are compared here.
 */
export async function findNear(
  db: Kysely<Tables>,
  word: string,
  edits: 1 | 2,
): Promise<readonly string[]> {
  const pieces = piecesNear(word, edits)
  const rows = await runSql<{ readonly word: string }>(db, {
    sql: pieces.map(toQuery).join(' UNION '),
    values: pieces.flatMap(({ length, text }) => [length, text]),
  })
  const near: string[] = []
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize).map((row) => row.word)
    near.push(...batch.filter((found) => isWithinEdits(found, word, edits)))
    await setImmediate()
  }
  return near
}

function toQuery({ place }: Piece): string {
  return `SELECT word FROM search_words WHERE char_length(word) = ? AND ${pieceAt[place]} = ?`
}
