import { Duplex, Readable, Writable } from 'node:stream'

/** Bytes in memory, or those of a large file, which are read as they are sent. */
export type ArchivePart = Buffer | Readable

/** Bytes of a file that wait for a slow reader. */
const mostWaiting = 1024 * 1024

/**
 * The bytes of an archive. Where it is piped to what passes nothing on, such as an answer, large files
 * are piped there themselves: their reader uses its memory again, which an iteration does not.
 */
export class ArchiveStream extends Readable {
  readonly #parts: AsyncIterable<ArchivePart>
  #pieces: AsyncGenerator<Buffer> | undefined
  #file: Readable | undefined

  constructor(parts: AsyncIterable<ArchivePart>) {
    super()
    this.#parts = parts
  }

  override pipe<To extends NodeJS.WritableStream>(
    destination: To,
    options?: { readonly end?: boolean },
  ): To {
    if (destination instanceof Duplex || options?.end === false) {
      return super.pipe(destination, options)
    }
    this.#sendAll(destination).then(
      () => {
        destination.end()
        this.push(null)
        this.resume()
      },
      (error: unknown) => this.destroy(error as Error),
    )
    return destination
  }

  override _read(): void {
    this.#pieces ??= toPieces(this.#parts)
    this.#pieces.next().then(
      ({ done, value }) => this.push(done ? null : value),
      (error: unknown) => this.destroy(error as Error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#file?.destroy()
    // It may wait for a file that is being opened.
    void this.#pieces?.return(undefined).catch(() => {})
    done(error)
  }

  /** Prepares the next part while one is sent. */
  async #sendAll(destination: NodeJS.WritableStream): Promise<void> {
    const closed = Promise.withResolvers<undefined>()
    closed.promise.catch(() => {})
    this.once('close', () => closed.reject(new Error('the reader has left')))
    let sent: Promise<unknown> = Promise.resolve()
    for await (const part of this.#parts) {
      await Promise.race([sent, closed.promise])
      sent = this.#send(part, destination)
      // The next part may take long to prepare.
      sent.catch((error: unknown) => this.destroy(error as Error))
    }
    await Promise.race([sent, closed.promise])
  }

  #send(part: ArchivePart, destination: NodeJS.WritableStream): Promise<unknown> {
    if (Buffer.isBuffer(part)) return write(part, destination)
    this.#file = part
    return sendFile(part, destination)
  }
}

/** The bytes of all parts, in memory. */
export async function* toPieces(parts: AsyncIterable<ArchivePart>): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    if (Buffer.isBuffer(part)) yield part
    else yield* part
  }
}

/** Resolves once the bytes are passed on. */
function write(bytes: Buffer, destination: NodeJS.WritableStream): Promise<undefined> {
  return new Promise((resolve, reject) => {
    destination.write(bytes, (error) => (error ? reject(error) : resolve(undefined)))
  })
}

function sendFile(file: Readable, destination: NodeJS.WritableStream): Promise<undefined> {
  const sink = new Writable({
    highWaterMark: mostWaiting,
    write: (piece: Buffer, _encoding, done) => void destination.write(piece, done),
  })
  return new Promise((resolve, reject) => {
    file.once('error', reject)
    sink.once('error', reject).once('finish', () => resolve(undefined))
    file.pipe(sink)
  })
}
