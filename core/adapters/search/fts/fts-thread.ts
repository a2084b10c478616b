import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../../base/threads.ts'
import type { SearchResult, Visibility } from '../../../ports/search-index.ts'
import type { SearchRequest } from '../../../search/request.ts'
import type { Version } from './fts-file.ts'
import type { FtsAnswer, FtsQuestion, FtsTask } from './fts-worker.ts'

interface Caller {
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

const MiB = 2 ** 20

/**
 * Memory that the thread may take, in MiB. Most of it is for a million hits that are ordered by
 * fields of their documents. New objects get little room: nearly all of them die young.
 */
const heapMiB = 512
const youngMiB = 24
/** Bytes of it that each byte of a document may take: the worst take 60. */
const heapPerByte = 64

/** An `FtsFile` on a thread of its own, so that the event loop does not wait for it. */
export class FtsThread implements AsyncDisposable {
  readonly #worker: Worker
  readonly #callers = new Map<number, Caller>()
  #last = 0
  #length = 0
  #end: Error | undefined

  /**
   * @param maxDocument bytes of the largest document
   * @param onEnd told why it has ended, unless it was closed
   */
  constructor(path: string, maxDocument: number, onEnd: (error: unknown) => void) {
    this.#worker = startThread(import.meta.url, 'fts-worker', {
      name: 'search',
      workerData: path,
      resourceLimits: {
        maxYoungGenerationSizeMb: youngMiB,
        maxOldGenerationSizeMb: heapMiB + Math.ceil((heapPerByte * maxDocument) / MiB),
      },
    })
    this.#worker.unref()
    this.#worker.on('message', (answer: FtsAnswer) => this.#hear(answer))
    this.#worker.on('error', onEnd)
    this.#worker.on('exit', () => this.#rejectAll())
  }

  /** Questions that are not answered yet. */
  get waiting(): number {
    return this.#callers.size
  }

  /** Characters of the documents that are not put yet. */
  get waitingLength(): number {
    return this.#length
  }

  readonly put = async (document: string): Promise<void> => {
    this.#length += document.length
    try {
      await this.#ask({ put: document })
    } finally {
      this.#length -= document.length
    }
  }
  readonly remove = (id: string): Promise<void> => this.#ask({ remove: id })
  readonly compare = (versions: readonly Version[]): Promise<readonly string[]> =>
    this.#ask({ compare: versions })
  readonly forgetOthers = (except: readonly string[]): Promise<void> =>
    this.#ask({ forgetOthers: except })
  readonly tidy = (step: 'first' | 'next'): Promise<boolean> => this.#ask({ tidy: step })
  /** Undefined where its turn does not come within `ms` milliseconds. */
  readonly search = (
    search: SearchRequest,
    visibility: Visibility,
    ms: number,
  ): Promise<SearchResult | undefined> =>
    this.#ask({ search, visibility, until: performance.timeOrigin + performance.now() + ms })

  /** The mark that the file had when it was opened. */
  readonly foundSeal = (): Promise<number> => this.#ask({ foundSeal: true })

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close(0)
  }

  /** @param mark what the file gets if it has every change; 0 for nothing */
  async close(mark: number): Promise<void> {
    if (this.#end) return
    // The process would end when nothing else is left to do, with the databases still open.
    this.#worker.ref()
    const ended = once(this.#worker, 'exit')
    await this.#ask<void>({ close: mark }).catch(() => this.#worker.terminate())
    await ended
  }

  #ask<Answer>(task: FtsTask): Promise<Answer> {
    if (this.#end) return Promise.reject(this.#end)
    return new Promise<Answer>((resolve, reject) => {
      this.#last += 1
      this.#callers.set(this.#last, { resolve, reject })
      this.#worker.postMessage({ number: this.#last, task } satisfies FtsQuestion)
    })
  }

  #hear(answer: FtsAnswer): void {
    const caller = this.#callers.get(answer.number)
    this.#callers.delete(answer.number)
    if ('error' in answer) caller?.reject(answer.error)
    else caller?.resolve(answer.answer as never)
  }

  #rejectAll(): void {
    this.#end = new Error('the thread of the search index has ended')
    for (const { reject } of this.#callers.values()) reject(this.#end)
    this.#callers.clear()
  }
}
