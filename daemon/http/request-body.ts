import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { problem, wrongField } from '../../core/index.ts'
import type { FastifyRequest } from 'fastify'

/** Bytes that wait for a reader. */
const waitingBytes = 512 * 1024

/**
 * The body of a request, as a stream that can fail without the connection: destroying the request
 * itself would take the answer away with it.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage
  #isReading = false

  constructor(request: IncomingMessage) {
    super({ highWaterMark: waitingBytes })
    this.#request = request
    request.on('error', this.#onError).on('close', this.#onClose)
    // It may fail before it is read; a later reader gets the error.
    this.on('error', () => {})
  }

  override _read(): void {
    if (!this.#isReading) this.#request.on('data', this.#onData).on('end', this.#onEnd)
    this.#isReading = true
    // The request may have been read to its end before.
    if (this.#request.readableEnded) this.push(null)
    else this.#request.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd)
    // The listener for errors stays: a late one without a listener would end the process.
    this.#request.off('close', this.#onClose).pause()
    done(error)
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#request.pause()
  }

  readonly #onEnd = (): void => {
    this.push(null)
  }

  readonly #onError = (error: Error): void => {
    this.destroy(error)
  }

  readonly #onClose = (): void => {
    if (!this.#request.complete) this.destroy(problem('broken_upload'))
  }
}

/**
 * The digest a client gives of the body it sends: `Repr-Digest` with `sha-256`, or `Content-MD5`.
 *
 * @returns `sha256:<hex>` or `md5:<hex>`; undefined where there is none that we know
 * @throws {DepositError} malformed_request: the header cannot be read
 * @see RFC 9530 §3; RFC 1864 (obsolete, and still sent)
 */
export function requestDigest({ headers }: FastifyRequest): string | undefined {
  const digest = headers['repr-digest'] ?? headers['content-digest']
  const found = /(?:^|,)\s*sha-256=(?::([A-Za-z0-9+/=]*):)?/i.exec(String(digest ?? ''))
  if (found) return `sha256:${toHex('repr-digest', found[1] ?? '', 32)}`
  const md5 = headers['content-md5']
  return md5 === undefined ? undefined : `md5:${toHex('content-md5', String(md5), 16)}`
}

function toHex(field: string, base64: string, size: number): string {
  const bytes = Buffer.from(base64.trim(), 'base64')
  if (bytes.length === size) return bytes.toString('hex')
  throw wrongField('malformed_request', field, `A digest of ${size} bytes in base 64 is expected.`)
}
