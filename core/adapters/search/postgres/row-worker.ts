import { parentPort } from 'node:worker_threads'
import type { IndexedDocument } from '../../../ports/search-index.ts'
import { toSearchRow, type SearchRow } from './search-row.ts'

export interface RowQuestion {
  readonly number: number
  /** JSON of an `IndexedDocument`. */
  readonly document: string
}

/** A row with its words in one text, with spaces between: many strings take long to hand over. */
export type PackedRow = Omit<SearchRow, 'words'> & { readonly words: string }

export type RowAnswer =
  | { readonly number: number; readonly row: PackedRow }
  | { readonly number: number; readonly error: unknown }

parentPort?.on('message', ({ number, document }: RowQuestion) => {
  parentPort?.postMessage(answerTo(number, document))
})

function answerTo(number: number, document: string): RowAnswer {
  try {
    const row = toSearchRow(JSON.parse(document) as IndexedDocument)
    return { number, row: { ...row, words: row.words.join(' ') } }
  } catch (error) {
    return { number, error }
  }
}
