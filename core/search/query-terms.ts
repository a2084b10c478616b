import type { FieldPath, Fuzziness, PhraseQuery, Query, TermEnding } from './ast.ts'
import type { QueryReader } from './query-reader.ts'

/** Takes a phrase in double quotes; a quote of its own has a backslash. */
export function readPhrase(reader: QueryReader, field: FieldPath | undefined): PhraseQuery {
  const start = reader.offset
  reader.take('"')
  let text = ''
  while (!reader.take('"')) {
    if (reader.atEnd) reader.fail('The quotation mark is not closed.', start)
    text += reader.readCharacter().character
  }
  if (reader.sees('~')) reader.fail('A phrase cannot be fuzzy; only a word can.')
  return { type: 'phrase', ...(field && { field }), text }
}

/** Takes a word with its `*` or `~`. */
export function readTerm(reader: QueryReader, field: FieldPath | undefined): Query {
  let text = ''
  let ending: TermEnding | undefined
  while (ending === undefined) {
    text += reader.takeMatch(plain) ?? ''
    ending = readEnding(reader)
    if (ending === undefined) text += reader.readCharacter().character
  }
  if (text === '' && ending === 'prefix') {
    return field ? { type: 'exists', field } : { type: 'all' }
  }
  return { type: 'term', ...(field && { field }), text, ending }
}

/** Characters of plain words; some DOIs have parentheses inside. */
const plain = /(?:[^\s()"\\*~&|]|(?<=[^\s()"])\([^\s()"\\*~]*\))+/uy

/** Undefined in the middle of a word. A `~` is text there, as in addresses; a `*` is a mistake. */
function readEnding(reader: QueryReader): TermEnding | undefined {
  if (reader.atWordEnd) return 'exact'
  const start = reader.offset
  if (reader.take('*')) {
    if (reader.atWordEnd) return 'prefix'
    reader.fail('A * can only end a word; write \\* for the sign.', start)
  }
  const edits = reader.takeMatch(/~\d*(?=$|[\s()"]|&&|\|\|)/uy)
  if (edits === undefined) return undefined
  return toFuzziness(edits.slice(1)) ?? reader.fail('Only 1 or 2 can follow a ~.', start + 1)
}

function toFuzziness(edits: string): Fuzziness | undefined {
  if (edits === '') return 'auto'
  if (edits === '1') return 1
  return edits === '2' ? 2 : undefined
}
