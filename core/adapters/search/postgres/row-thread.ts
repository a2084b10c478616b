import { AskedThread } from '../../../base/asked-thread.ts'
import { giveWay } from '../../../base/turns.ts'
import type { IndexedDocument } from '../../../ports/search-index.ts'
import type { PackedRow } from './row-worker.ts'
import { toSearchRow, type SearchRow } from './search-row.ts'

/** Characters of a document from which on its row takes more than some milliseconds to make. */
const largeLength = 32_768

/** Makes rows for searches: of large documents on a thread, beside the event loop. */
export class RowThread implements AsyncDisposable {
  readonly #thread = new AskedThread<string, PackedRow>(
    import.meta.url,
    'row-worker',
    'search rows',
  )

  readonly make = async (document: IndexedDocument): Promise<SearchRow> => {
    await giveWay()
    const text = JSON.stringify(document)
    if (text.length < largeLength) return toSearchRow(document)
    const row = await this.#thread.ask(text)
    return { ...row, words: row.words.split(' ') }
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}
