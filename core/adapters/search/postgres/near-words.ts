import type { Kysely } from 'kysely'
import { setImmediate } from 'node:timers/promises'
import { isWithinEdits, piecesNear, type Piece } from '../../../search/word-pieces.ts'
import type { Tables } from '../../database/schema/tables.ts'
import { runSql } from '../../database/open-postgres.ts'

/** Words that are compared before others get a turn. */
const batchSize = 5000

/** The pieces of a word, as the indexes have them that 0012-word-pieces.ts made. */
const pieceAt = {
  0: 'left(word, char_length(word) / 3)',
  1: 'substr(word, char_length(word) / 3 + 1, char_length(word) / 3)',
  2: 'substr(word, char_length(word) / 3 * 2 + 1)',
} as const satisfies Record<Piece['place'], string>

/**
 * The words of all documents that are near enough to `word`. No extension of the server that
 * measures how near words are is asked for: those that have a piece in common come here.
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
