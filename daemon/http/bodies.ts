import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inTurns, type Steps } from '../../core/base/turns.ts'
import {
  isJsonObject,
  parseInPieces,
  problem,
  wrongField,
  type Json,
  type JsonObject,
} from '../../core/index.ts'
import { atOnce } from './turns.ts'
import { patchTypes } from './negotiation.ts'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** Reads JSON bodies through the gate for I-JSON; every other type is left to its route. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const types = [...patchTypes]
  app.addContentTypeParser(
    types,
    { parseAs: 'buffer' },
    // DELETE has no input; some clients still name a type.
    async (request: FastifyRequest, body: Buffer) => {
      const { method, routeOptions } = request
      if (method === 'DELETE') return undefined
      if (body.length === 0 && routeOptions.config.canDoWithoutBody) return undefined
      return parseBody(request, body)
    },
  )
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** An empty body is none: clients name its type all the same. */
    canDoWithoutBody?: true
  }
  interface FastifyRequest {
    /** `Content-Type`, where the framework is not to see it. */
    statedType: string | undefined
  }
}

/** As {@link leaveBodiesUnread}, for any media type. */
export function ignoreMediaTypes(app: FastifyInstance): void {
  leaveBodiesUnread(app)
  app.decorateRequest('statedType')
  // The framework refuses a type that it cannot read before it asks who parses it.
  app.addHook(
    'onRequest',
    atOnce((request) => {
      request.statedType = request.headers['content-type']
      delete request.headers['content-type']
    }),
  )
}

/**
 * Bytes may be of any type, or of none; a range of types (`*\/*`) is sent by programs that were not
 * told which, and often with a body that is not the file.
 *
 * @throws {DepositError} unsupported_media_type
 */
export function refuseMediaRange({ statedType = '' }: FastifyRequest): void {
  if (!/^[^;]*\*/.test(statedType)) return
  throw problem('unsupported_media_type', {
    message: `Content-Type: ${statedType} names no media type; send application/octet-stream.`,
  })
}

/** Leaves bodies of every type unread: the route takes them from `request.raw`, or not at all. */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addHook(
    'onRequest',
    atOnce((request) => {
      request.isBodyParsed = false
    }),
  )
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a body when it is its turn.
 *
 * @throws {DepositError} malformed_json
 */
export async function parseBody({ largeBody }: FastifyRequest, body: Buffer): Promise<Json> {
  await largeBody?.work()
  return inTurns(parsing(body))
}

function* parsing(body: Buffer): Steps<Json> {
  return yield* parseInPieces(decode(body))
}

/** @throws {DepositError} malformed_json: the bytes are not UTF-8 */
function decode(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw problem('malformed_json', { reason: 'it is not UTF-8', field: '' })
  }
}

/**
 * The document a client sent.
 *
 * @throws {DepositError} invalid_document: the body is some other JSON
 */
export function toDocument(body: unknown): JsonObject {
  if (isJsonObject(body)) return body
  throw problem('invalid_document', {
    faults: [{ field: '', message: 'A deposit is a JSON object.' }],
  })
}

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the JSON of the answer is to be indented, and no text made before will do. */
    isIndented: boolean
  }
}

/** Indents the JSON of an answer where the request asks for it with `?prettyprint=1`. */
export function prettyPrint(app: FastifyInstance): void {
  app.decorateReply('isIndented', false)
  app.addHook(
    'onRequest',
    atOnce(({ query }, reply) => {
      const { prettyprint } = query as Readonly<Record<string, unknown>>
      if (prettyprint === undefined || prettyprint === '0') return
      reply.isIndented = true
      reply.serializer((payload: unknown) =>
        typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2),
      )
    }),
  )
}

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
    // Its client may have left before, without anything more to be heard of it.
    if (request.destroyed && !request.readableEnded) this.destroy(problem('broken_upload'))
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
