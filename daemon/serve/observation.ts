import { Type } from 'typebox'
import type { FastifyPluginAsync } from 'fastify'
import { problem } from '../../core/index.ts'
import type { Drain } from '../http/connections.ts'
import type { Metrics } from './metrics.ts'
import { json } from '../api/openapi/parameters.ts'
import { resource } from '../api/route.ts'
import type { Services } from '../api/services.ts'

const readyBody = Type.Object({ status: Type.Literal('ready') })

/**
 * For those who run the service: whether it can take work (`/ready`), and how it fares
 * (`/metrics`, in the format of Prometheus). Neither names a deposit nor a user.
 */
export function observation(
  services: Services,
  { registry }: Metrics,
  drain: Drain,
): FastifyPluginAsync {
  return async (app) => {
    resource(app, services, '/ready', {
      GET: {
        config: { hosts: 'any', needsNoRows: true },
        id: 'readReadiness',
        tag: 'service',
        summary: 'Tell whether the service can take work',
        needs: 'nothing',
        answers: { 200: { description: 'It can.', content: json(readyBody) } },
        handler: async () => {
          if (drain.isLeaving) throw problem('shutting_down')
          const obstacle = await services.health.obstacle()
          if (obstacle) throw obstacle
          return { status: 'ready' }
        },
      },
    })
    resource(app, services, '/metrics', {
      GET: {
        config: { hosts: 'addresses', needsNoRows: true },
        id: 'readMetrics',
        tag: 'service',
        summary: 'Tell how the service fares, in the format of Prometheus',
        needs: 'nothing',
        answers: { 200: { description: 'The metrics.', content: { 'text/plain': Type.String() } } },
        handler: async (_request, reply) =>
          reply.type(registry.contentType).send(await registry.metrics()),
      },
    })
  }
}
