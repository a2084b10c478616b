import { answerQuestions } from '../../../base/asked-thread.ts'
import type { IndexedDocument } from '../../../ports/search-index.ts'
import { toSearchRow, type SearchRow } from './search-row.ts'

/** A row with its words in one text, with spaces between: many strings take long to hand over. */
export type PackedRow = Omit<SearchRow, 'words'> & { readonly words: string }

// A question is the JSON of an `IndexedDocument`.
answerQuestions((document: string): PackedRow => {
  const row = toSearchRow(JSON.parse(document) as IndexedDocument)
  return { ...row, words: row.words.join(' ') }
})
