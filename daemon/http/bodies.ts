import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MalformedJson, parseJson, type Json } from '../../core/index.ts'

/** Reads JSON bodies through the gate for I-JSON; every other type is left to its route. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const types = ['application/json', 'application/json-patch+json']
  app.addContentTypeParser(
    types,
    { parseAs: 'buffer' },
    // DELETE has no input; some clients name a type all the same.
    async ({ method }: FastifyRequest, body: Buffer) =>
      method === 'DELETE' ? undefined : parseBody(body),
  )
}

/** As {@link leaveBodiesUnread}, and whatever their type is said to be. */
export function ignoreMediaTypes(app: FastifyInstance): void {
  leaveBodiesUnread(app)
  // The framework refuses a type that it cannot read before it asks who parses it.
  app.addHook('onRequest', async ({ headers }) => void delete headers['content-type'])
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

/** @throws {MalformedJson} the bytes are not UTF-8 */
function decode(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw new MalformedJson('it is not UTF-8', '')
  }
}
