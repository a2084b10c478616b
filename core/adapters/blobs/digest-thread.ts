import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DigestReply, DigestRequest } from './digest-worker.ts'

/** Digests as hexadecimal digits, by the name of their algorithm. */
export type Digests = Readonly<Record<string, string>>

/** The digests of one file that is being written. */
export interface DigestTail {
  /** The first `size` bytes are written. */
  readonly grow: (size: number) => void
  /** The file has `size` bytes and no more; fails where it cannot be read to its end. */
  readonly finish: (size: number) => Promise<Digests>
  /** Stops reading; needed only without {@link finish}, harmless after it. */
  readonly drop: () => void
}

/**
 * Computes digests on a thread of its own, which reads files behind those who write them, a piece
 * of each in turn. The thread starts with the first file; where it dies, the files it was reading
 * fail, and the next file starts another.
 */
export class DigestThread implements AsyncDisposable {
  readonly #files = new Map<number, PromiseWithResolvers<Digests>>()
  #worker: Worker | undefined
  #lastFile = 0

  /** Reads the file at `path` from its beginning. */
  follow(path: string, algorithms: readonly string[]): DigestTail {
    const worker = (this.#worker ??= this.#start())
    const file = (this.#lastFile += 1)
    const send = (request: DigestRequest): void => worker.postMessage(request)
    const digests = Promise.withResolvers<Digests>()
    // A failure waits for `finish`, which may never be called.
    digests.promise.catch(() => {})
    this.#files.set(file, digests)
    worker.ref()
    send({ file, path, algorithms })
    return {
      grow: (size) => send({ file, size, final: false }),
      finish: (size) => {
        send({ file, size, final: true })
        return digests.promise
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
    // The worker is TypeScript beside TypeScript, JavaScript beside what was compiled.
    const script = `./digest-worker${extname(import.meta.url)}`
    const url = new URL(script, import.meta.url)
    // Flags of the process (`--input-type`) are for its own script.
    const worker = new Worker(url, { name: 'digests', execArgv: [] })
    let failure: unknown
    worker.on('message', (reply: DigestReply) => this.#receive(worker, reply))
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', () => this.#fail(failure))
    return worker
  }

  #receive(worker: Worker, reply: DigestReply): void {
    const file = this.#settle(worker, reply.file)
    if ('error' in reply) file?.reject(Object.assign(new Error(reply.error), { code: reply.code }))
    else file?.resolve(reply.digests)
  }

  /** The process may end while the thread is idle, not while somebody waits for it. */
  #settle(worker: Worker, file: number): PromiseWithResolvers<Digests> | undefined {
    const settled = this.#files.get(file)
    this.#files.delete(file)
    if (this.#files.size === 0) worker.unref()
    return settled
  }

  #fail(cause: unknown): void {
    this.#worker = undefined
    for (const file of this.#files.values()) {
      file.reject(new Error('The thread that computes digests ended', { cause }))
    }
    this.#files.clear()
  }
}
