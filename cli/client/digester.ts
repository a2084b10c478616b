import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DigestRequest } from './digest-worker.ts'

/** Beside this file, compiled or not. */
const workerUrl = new URL(`./digest-worker${extname(import.meta.url)}`, import.meta.url)

/** SHA-256 in a thread of its own, over buffers that are shared with it. */
export class Digester implements AsyncDisposable {
  readonly buffers: readonly Buffer[]
  readonly #worker: Worker
  readonly #asked: PromiseWithResolvers<unknown>[] = []

  /** @param size bytes of each buffer */
  constructor(count: number, size: number) {
    const shared = Array.from({ length: count }, () => new SharedArrayBuffer(size))
    this.buffers = shared.map((part) => Buffer.from(part))
    this.#worker = new Worker(workerUrl, { workerData: shared })
    this.#worker.on('message', (answer) => this.#asked.shift()?.resolve(answer))
    this.#worker.on('error', (error) => {
      for (const asked of this.#asked.splice(0)) asked.reject(error)
    })
  }

  /** Takes the first `length` bytes of a buffer; done when the buffer may be filled again. */
  async update(buffer: number, length: number): Promise<void> {
    await this.#ask([buffer, length])
  }

  /** The digest of all updates in hexadecimal; the next update begins another. */
  async finish(): Promise<string> {
    return String(await this.#ask('finish'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }

  /** The worker answers in the order it was asked. */
  #ask(request: DigestRequest): Promise<unknown> {
    const asked = Promise.withResolvers<unknown>()
    this.#asked.push(asked)
    this.#worker.postMessage(request)
    return asked.promise
  }
}
