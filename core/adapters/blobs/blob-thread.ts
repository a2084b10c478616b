import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/threads.ts'
import type { BlobReply, BlobRequest } from './blob-worker.ts'

/** Digests as hexadecimal digits, by the name of their algorithm. */
export type Digests = Readonly<Record<string, string>>

/** One file on the thread. */
export interface Following {
  /**
   * Writes `batch` at `position`, all of it, and measures it on the way. Memory that is the
   * batch's alone is taken: its buffers are empty afterwards.
   */
  readonly write: (
    descriptor: number,
    position: number,
    batch: readonly Buffer[],
  ) => Promise<unknown>
  /** The first `size` bytes are written. */
  readonly grow: (size: number) => void
  /** The file has `size` bytes and no more; fails where it cannot be read to its end. */
  readonly finish: (size: number) => Promise<Digests>
  /** Stops reading; needed only without {@link finish}, harmless after it. */
  readonly drop: () => void
}

/**
 * Writes files and computes their digests on a thread of its own, while the bytes are still in the
 * processor's cache. Files that others write it reads behind them, a piece of each in turn. The
 * thread starts with the first file; if it dies, its files fail and the next file starts another.
 */
export class BlobThread implements AsyncDisposable {
  /** Files that wait for their digests; writes wait for no reply. */
  readonly #waiting = new Map<number, PromiseWithResolvers<Digests>>()
  #worker: Worker | undefined
  #lastId = 0

  /** Measures the file at `path` from its beginning. */
  follow(path: string, algorithms: readonly string[]): Following {
    const worker = (this.#worker ??= this.#start())
    const send = (request: BlobRequest): void => worker.postMessage(request)
    const [file, digests] = this.#expect(worker)
    send({ file, path, algorithms })
    return {
      write: (descriptor, position, batch) => {
        const [write, written] = this.#expect(worker)
        const owned = batch.map(toOwned)
        const request: BlobRequest = { file, write, descriptor, position, batch: owned }
        worker.postMessage(
          request,
          owned.map(({ buffer }) => buffer),
        )
        return written
      },
      grow: (size) => send({ file, size, final: false }),
      finish: (size) => {
        send({ file, size, final: true })
        return digests
      },
      drop: () => {
        if (this.#settle(worker, file)) send({ file, forget: true })
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = startThread(import.meta.url, 'blob-worker', { name: 'blobs' })
    let failure: unknown
    worker.on('message', (reply: BlobReply) => this.#receive(worker, reply))
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', () => this.#fail(failure))
    return worker
  }

  #expect(worker: Worker): readonly [id: number, reply: Promise<Digests>] {
    const id = (this.#lastId += 1)
    const reply = Promise.withResolvers<Digests>()
    // A failure waits for `finish`, which may never be called.
    reply.promise.catch(() => {})
    if (this.#worker === worker) this.#waiting.set(id, reply)
    else reply.reject(new Error(ended))
    worker.ref()
    return [id, reply.promise]
  }

  #receive(worker: Worker, reply: BlobReply): void {
    const waiting = this.#settle(worker, reply.id)
    if ('digests' in reply) waiting?.resolve(reply.digests)
    else waiting?.reject(Object.assign(new Error(reply.error), { code: reply.code }))
  }

  /** The process may end while the thread is idle, not while a caller waits for it. */
  #settle(worker: Worker, id: number): PromiseWithResolvers<Digests> | undefined {
    const settled = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) worker.unref()
    return settled
  }

  #fail(cause: unknown): void {
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) {
      reject(new Error(ended, { cause }))
    }
    this.#waiting.clear()
  }
}

const ended = 'The thread that writes files ended'

/** Memory that can be handed to another thread: a part of something larger is copied. */
function toOwned(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes)
}
