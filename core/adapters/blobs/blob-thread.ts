import { MessageChannel, type Worker } from 'node:worker_threads'
import { startThread } from '../../base/threads.ts'
import type { BlobReply, BlobRequest } from './blob-worker.ts'
import type { WriteRequest } from './write-worker.ts'

/** Digests as hexadecimal digits, by the name of their algorithm. */
export type Digests = Readonly<Record<string, string>>

type Memory = Uint8Array<ArrayBuffer> | undefined

/** One file on the threads. */
export interface Following {
  /**
   * Writes `batch` at `position`, all of it, and measures it on the way. Resolves when it is
   * written and the batch before it measured. Memory that is the batch's alone is taken: its
   * buffers are empty afterwards.
   */
  readonly write: (
    descriptor: number,
    position: number,
    batch: readonly Buffer[],
  ) => Promise<unknown>
  /** Measures bytes that were read at `position`; answers their memory, which it has meanwhile. */
  readonly measure: (position: number, bytes: Uint8Array<ArrayBuffer>) => Promise<Memory>
  /** The first `size` bytes are written. */
  readonly grow: (size: number) => void
  /** The file has `size` bytes and no more; fails where it cannot be read to its end. */
  readonly finish: (size: number) => Promise<Digests>
  /** Stops reading; needed only without {@link finish}, harmless after it. */
  readonly drop: () => void
}

/**
 * Writes files on one thread and computes their digests on another, which gets the memory while the
 * bytes are still in the processor's cache: an upload keeps two cores busy. Files that others write
 * it reads behind them, a piece of each in turn. A thread starts with the first file that needs it;
 * if it dies, its files fail and the next file starts another.
 */
export class BlobThread implements AsyncDisposable {
  readonly #measuring = new RepliesOf('blob-worker', 'blobs')
  readonly #writing = new RepliesOf('write-worker', 'writes')
  /** The threads that have a port to each other. */
  #joined: readonly Worker[] = []

  /** Measures the file at `path` from its beginning. */
  follow(path: string, algorithms: readonly string[]): Following {
    const measurer = this.#measuring.start()
    const send = (request: BlobRequest): void => measurer.postMessage(request)
    const [file, reply] = this.#measuring.expect(measurer)
    let writer: Worker | undefined
    let before: Promise<unknown> = Promise.resolve()
    send({ file, path, algorithms })
    return {
      write: (descriptor, position, batch) => {
        const measured = before
        const [step, isMeasured] = this.#measuring.expect(measurer)
        before = isMeasured
        writer ??= this.#writing.start()
        const place = { file, step, descriptor, position }
        const written = this.#write(writer, measurer, { ...place, batch })
        // What was not written is not handed on.
        written.catch(() => this.#measuring.settle(measurer, step))
        return written.then(() => measured)
      },
      measure: async (position, bytes) => {
        const [step, measured] = this.#measuring.expect(measurer)
        const request: BlobRequest = { file, step, position, batch: [bytes], isLent: true }
        measurer.postMessage(request, [bytes.buffer])
        return (await measured).memory?.[0]
      },
      grow: (size) => send({ file, size, final: false }),
      finish: (size) => {
        send({ file, size, final: true })
        return reply.then(({ digests }) => digests)
      },
      drop: () => {
        if (this.#measuring.settle(measurer, file)) send({ file, forget: true })
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#measuring.end(), this.#writing.end()])
  }

  #write(writer: Worker, measurer: Worker, { batch, ...place }: Written): Promise<unknown> {
    this.#join(writer, measurer)
    const [write, written] = this.#writing.expect(writer)
    const owned = batch.map(toOwned)
    const request: WriteRequest = { write, ...place, batch: owned }
    writer.postMessage(
      request,
      owned.map(({ buffer }) => buffer),
    )
    return written
  }

  #join(writer: Worker, measurer: Worker): void {
    if (this.#joined[0] === writer && this.#joined[1] === measurer) return
    const { port1: measuring, port2: written } = new MessageChannel()
    writer.postMessage({ measuring } satisfies WriteRequest, [measuring])
    measurer.postMessage({ written } satisfies BlobRequest, [written])
    this.#joined = [writer, measurer]
  }
}

interface Written {
  readonly file: number
  readonly step: number
  readonly descriptor: number
  readonly position: number
  readonly batch: readonly Buffer[]
}

type Reply = Extract<BlobReply, { readonly digests: Digests }>

/** A thread whose replies have numbers, and those who wait for them. */
class RepliesOf {
  readonly #script: string
  readonly #name: string
  readonly #waiting = new Map<number, PromiseWithResolvers<Reply>>()
  #worker: Worker | undefined
  #lastId = 0

  constructor(script: string, name: string) {
    this.#script = script
    this.#name = name
  }

  /** The thread, which is started where there is none. */
  start(): Worker {
    if (this.#worker) return this.#worker
    const worker = startThread(import.meta.url, this.#script, { name: this.#name })
    let failure: unknown
    worker.on('message', (reply: BlobReply) => this.#receive(worker, reply))
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', () => this.#fail(failure))
    this.#worker = worker
    return worker
  }

  expect(worker: Worker): readonly [id: number, reply: Promise<Reply>] {
    const id = (this.#lastId += 1)
    const reply = Promise.withResolvers<Reply>()
    // A failure waits for `finish`, which may never be called.
    reply.promise.catch(() => {})
    if (this.#worker === worker) this.#waiting.set(id, reply)
    else reply.reject(new Error(ended))
    worker.ref()
    return [id, reply.promise]
  }

  /** The process may end while the thread is idle, not while a caller waits for it. */
  settle(worker: Worker, id: number): PromiseWithResolvers<Reply> | undefined {
    const settled = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) worker.unref()
    return settled
  }

  async end(): Promise<void> {
    await this.#worker?.terminate()
  }

  #receive(worker: Worker, reply: BlobReply): void {
    const waiting = this.settle(worker, reply.id)
    if ('digests' in reply) waiting?.resolve(reply)
    else waiting?.reject(Object.assign(new Error(reply.error), { code: reply.code }))
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
