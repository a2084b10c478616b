import type { FastifyPluginAsync } from 'fastify'
import { resource } from '../http/resource.ts'
import { setValidators } from '../http/revision.ts'
import { toRecordBody } from '../serializers/deposit-json.ts'
import type { Services } from './services.ts'

/** `/records/{pid_value}`: the address a record is cited by. */
export function recordPage({ records, links }: Services): FastifyPluginAsync {
  return async (app) => {
    resource(app, '/records/:pid_value', {
      GET: {
        handler: async (request, reply) => {
          const { pid_value: value } = request.params as { readonly pid_value: string }
          const record = await records.get(value)
          setValidators(reply, record)
          return reply.send(toRecordBody(record, links, await records.successor(record)))
        },
      },
    })
  }
}
