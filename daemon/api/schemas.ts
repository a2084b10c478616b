import { problem } from '../../core/index.ts'
import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { schemasPrefix } from '../../core/contract/routes.ts'
import { isFresh } from '../http/revision.ts'
import { anyObject, conditionalRead, json, unchanged } from './openapi/parameters.ts'
import { resource, wildcard } from './route.ts'
import type { Services } from './services.ts'

const schemaListBody = Type.Object({ schemas: Type.Array(Type.String({ format: 'uri' })) })

/** `/schemas/` and `/schemas/{path}`: the JSON Schemas that `$schema` names. */
export function schemaRoutes(services: Services): FastifyPluginAsync {
  const { parts, links } = services
  const { schemas } = parts
  return async (app) => {
    resource(app, services, schemasPrefix, {
      GET: {
        id: 'listSchemas',
        tag: 'service',
        summary: 'List the JSON Schemas',
        needs: 'nothing',
        answers: { 200: { description: 'Their URLs.', content: json(schemaListBody) } },
        handler: async () => ({ schemas: schemas.paths.map(links.schema) }),
      },
    })
    resource(app, services, `${schemasPrefix}{key}`, {
      GET: {
        id: 'readSchema',
        tag: 'service',
        summary: 'Read a JSON Schema',
        needs: 'nothing',
        headers: conditionalRead,
        answers: {
          200: { description: 'The schema.', content: { 'application/schema+json': anyObject } },
          ...unchanged,
        },
        answerHeaders: ['ETag'],
        handler: async (request, reply) => {
          const schema = schemas.find(wildcard(request))
          if (!schema) throw problem('not_found')
          const identified = { ...schema, $id: links.schema(wildcard(request)) }
          return sendSchema(request, reply, JSON.stringify(identified))
        },
      },
    })
  }
}

/** Schemas change with a new configuration: clients cache them and revalidate. */
function sendSchema(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const etag = `"${hash('sha256', text).slice(0, 32)}"`
  reply.header('etag', etag).header('cache-control', 'public, max-age=0, must-revalidate')
  if (isFresh(request.headers, etag, '')) return reply.code(304).send()
  return reply.type('application/schema+json; charset=utf-8').send(text)
}
