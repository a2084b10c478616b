import type { FastifyPluginAsync } from 'fastify'
import { schemasPrefix } from '../../core/contract/routes.ts'
import { NotFound } from '../http/http-problems.ts'
import { resource } from '../http/resource.ts'
import { wildcard } from './guards.ts'
import type { Services } from './services.ts'

/** `/schemas/{path}`: the JSON Schemas that `$schema` names. */
export function schemaRoutes({ parts }: Services): FastifyPluginAsync {
  return async (app) => {
    resource(app, `${schemasPrefix}*`, {
      GET: {
        handler: async (request, reply) => {
          const schema = parts.schemas.find(wildcard(request))
          if (!schema) throw new NotFound()
          return reply.type('application/schema+json; charset=utf-8').send(schema)
        },
      },
    })
  }
}
