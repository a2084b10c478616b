import type { Worker } from 'node:worker_threads'
import { startThread } from '../../core/base/threads.ts'
import type { DigestAlgorithm, DigestRequest } from './digest-worker.ts'

/** A thread that computes digests for any number of digesters. Started for the first of them. */
export class DigestThread implements AsyncDisposable {
  #worker: Worker | undefined
  #files = 0
  readonly #asked: PromiseWithResolvers<string>[] = []

  /**
   * Returns a new number for a file, and starts the thread while the server is still being asked,
   * so that the first bytes need not wait.
   */
  nextFile(): number {
    this.#worker ??= this.#start()
    this.#files += 1
    return this.#files
  }

  tell(request: DigestRequest): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(request)
  }

  /** The thread answers in the order it was asked. */
  ask(request: DigestRequest): Promise<string> {
    const asked = Promise.withResolvers<string>()
    this.#asked.push(asked)
    this.tell(request)
    return asked.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = startThread(import.meta.url, 'digest-worker')
    worker.on('message', (answer) => this.#asked.shift()?.resolve(String(answer)))
    worker.on('error', (error) => {
      for (const asked of this.#asked.splice(0)) asked.reject(error)
    })
    return worker
  }
}

/** The digest of one file after another, over buffers that are shared with the thread. */
export class Digester {
  readonly buffers: readonly Buffer[]
  readonly #thread: DigestThread
  readonly #shared: readonly SharedArrayBuffer[]
  readonly #algorithm: DigestAlgorithm
  #file: number

  /** @param size bytes of each buffer */
  constructor(
    thread: DigestThread,
    count: number,
    size: number,
    algorithm: DigestAlgorithm = 'sha256',
  ) {
    this.#thread = thread
    this.#algorithm = algorithm
    this.#file = thread.nextFile()
    this.#shared = Array.from({ length: count }, () => new SharedArrayBuffer(size))
    this.buffers = this.#shared.map((part) => Buffer.from(part))
  }

  /** Takes the first `length` bytes of a buffer; done when the buffer may be filled again. */
  async update(turn: number, length: number): Promise<void> {
    const buffer = this.#shared[turn]
    if (buffer === undefined) throw new RangeError(`there is no buffer ${turn}`)
    const algorithm = this.#algorithm
    await this.#thread.ask({ file: this.#file, do: 'take', algorithm, buffer, length })
  }

  /** The digest of all updates in hexadecimal; the next update starts another. */
  finish(): Promise<string> {
    return this.#thread.ask({ file: this.#file, do: 'finish' })
  }

  /** Drops the digest; the next update starts another. */
  forget(): void {
    this.#thread.tell({ file: this.#file, do: 'forget' })
    // Messages under way belong to the dropped file.
    this.#file = this.#thread.nextFile()
  }
}
