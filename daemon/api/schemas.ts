import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { schemasPrefix } from '../../core/contract/routes.ts'
import { isFresh } from '../http/revision.ts'
import { NotFound } from '../http/http-problems.ts'
import { resource } from '../http/route.ts'
import { wildcard } from './guards.ts'
import type { Services } from './services.ts'

/** `/schemas/` and `/schemas/{path}`: the JSON Schemas that `$schema` names. */
export function schemaRoutes({ parts, links }: Services): FastifyPluginAsync {
  const { schemas } = parts
  return async (app) => {
    resource(app, schemasPrefix, {
      GET: { handler: async () => ({ schemas: schemas.paths.map(links.schema) }) },
    })
    resource(app, `${schemasPrefix}*`, {
      GET: {
        handler: async (request, reply) => {
          const schema = schemas.find(wildcard(request))
          if (!schema) throw new NotFound()
          const identified = { ...schema, $id: links.schema(wildcard(request)) }
          return sendSchema(request, reply, JSON.stringify(identified))
        },
      },
    })
  }
}

/** Schemas change when the service is set up anew: clients keep them, and ask whether they did. */
function sendSchema(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const etag = `"${hash('sha256', text).slice(0, 32)}"`
  reply.header('etag', etag).header('cache-control', 'public, max-age=0, must-revalidate')
  if (isFresh(request.headers, etag, '')) return reply.code(304).send()
  return reply.type('application/schema+json; charset=utf-8').send(text)
}
