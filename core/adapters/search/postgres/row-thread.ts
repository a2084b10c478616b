import type { Worker } from 'node:worker_threads'
import { startThread } from '../../../base/threads.ts'
import { giveWay } from '../../../base/turns.ts'
import type { IndexedDocument } from '../../../ports/search-index.ts'
import type { RowAnswer, RowQuestion } from './row-worker.ts'
import { toSearchRow, type SearchRow } from './search-row.ts'

/** Characters of a document from which on its row takes more than some milliseconds to make. */
const largeLength = 32_768

/**
 * Makes rows for searches: of large documents on a thread, beside the event loop. The
 * thread is started when it is needed first, and keeps no process alive that is idle.
 */
export class RowThread implements AsyncDisposable {
  readonly #waiting = new Map<number, PromiseWithResolvers<SearchRow>>()
  #worker: Worker | undefined
  #last = 0

  readonly make = async (document: IndexedDocument): Promise<SearchRow> => {
    await giveWay()
    const text = JSON.stringify(document)
    return text.length < largeLength ? toSearchRow(document) : this.#ask(text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate()
  }

  #ask(document: string): Promise<SearchRow> {
    const worker = (this.#worker ??= this.#start())
    const number = (this.#last += 1)
    const made = Promise.withResolvers<SearchRow>()
    this.#waiting.set(number, made)
    worker.ref()
    worker.postMessage({ number, document } satisfies RowQuestion)
    return made.promise
  }

  #start(): Worker {
    const worker = startThread(import.meta.url, 'row-worker', { name: 'search rows' })
    let failure: unknown
    worker.on('message', (answer: RowAnswer) => this.#hear(worker, answer))
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', () => this.#fail(failure))
    return worker
  }

  #hear(worker: Worker, answer: RowAnswer): void {
    const asked = this.#waiting.get(answer.number)
    this.#waiting.delete(answer.number)
    if (this.#waiting.size === 0) worker.unref()
    if ('error' in answer) asked?.reject(answer.error)
    else asked?.resolve({ ...answer.row, words: answer.row.words.split(' ') })
  }

  #fail(cause: unknown): void {
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) {
      reject(new Error('The thread that makes rows for searches ended', { cause }))
    }
    this.#waiting.clear()
  }
}
