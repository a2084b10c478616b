import type { FastifyInstance, FastifyRequest } from 'fastify'
import { giveWay } from '../../core/base/turns.ts'
import { isJsonObject, parseJson, problem } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { atOnce } from './turns.ts'
import { patchTypes } from './media-types.ts'

/** Reads JSON bodies through the gate for I-JSON; every other type is left to its route. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const types = [...patchTypes]
  app.addContentTypeParser(
    types,
    { parseAs: 'buffer' },
    // DELETE has no input; some clients still name a type.
    async ({ method }: FastifyRequest, body: Buffer) => {
      if (method === 'DELETE') return undefined
      await giveWay()
      return parseBody(body)
    },
  )
}

declare module 'fastify' {
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
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseBody(body: Buffer): Json {
  return parseJson(decode(body))
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
