import { sql, type SchemaModule } from 'kysely'
import type { Engine } from './tables.ts'

const length = sql`char_length(word)`

/** The first third of a word, rounded down; the second; and the rest. */
const pieces = [
  sql`left(word, char_length(word) / 3)`,
  sql`substr(word, char_length(word) / 3 + 1, char_length(word) / 3)`,
  sql`substr(word, char_length(word) / 3 * 2 + 1)`,
] as const

/**
 * Words that are nearly the same have a piece in common (`word-pieces.ts`). The server itself takes
 * words apart, so those have their pieces, too, that older programs still bring.
 */
export async function wordPieces(schema: SchemaModule, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  for (const [place, piece] of pieces.entries()) {
    const index = schema.createIndex(`search_words_by_piece_${place}`).on('search_words')
    await index.columns([length, piece]).execute()
  }
}
