import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Turns } from '../../../core/base/turns.ts'
import { networkOf } from '../../http/authenticate.ts'
import { whenGone } from '../../http/connections.ts'
import { resource } from '../../http/route.ts'
import { openToOrigins, sharedDocument } from '../../http/sharing.ts'
import { refuseWhileSilent } from '../../http/silent-rows.ts'
import { oaiProvider, type OaiParts } from './oai-provider.ts'

/** Bytes of a request by POST. */
const mostBytes = 16_384

/** Answers are written two at a time, each may have 8 MiB, and one for each network. */
const turns = { all: 2, each: 1 }

/** `/oai`: OAI-PMH 2.0. @see https://www.openarchives.org/OAI/2.0/openarchivesprotocol.htm */
export function oaiRoutes(parts: OaiParts): FastifyPluginAsync {
  const answer = oaiProvider(parts)
  const waiting = new Turns(turns)
  const write = async (reply: FastifyReply, form: URLSearchParams): Promise<string> => {
    const gone = whenGone(reply)
    using _ = await waiting.take(networkOf(reply.request.ip), gone)
    return await answer(form, gone)
  }
  const send = async (reply: FastifyReply, form: URLSearchParams): Promise<FastifyReply> => {
    const text = await write(reply, form)
    openToOrigins(reply)
    // An answer of the past would be taken for one of now.
    reply.header('cache-control', 'no-cache')
    return reply.type('text/xml; charset=UTF-8').send(text)
  }
  return async (app) => {
    refuseWhileSilent(app, parts.database)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: mostBytes },
      async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
    )
    resource(app, '/oai', {
      GET: {
        operation: 'none',
        config: { shared: sharedDocument },
        handler: async ({ url }, reply) => send(reply, new URL(url, 'http://oai').searchParams),
      },
      POST: {
        operation: 'none',
        handler: async ({ body }, reply) =>
          send(reply, body instanceof URLSearchParams ? body : new URLSearchParams()),
      },
    })
  }
}
