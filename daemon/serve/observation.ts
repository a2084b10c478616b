import type { FastifyPluginAsync } from 'fastify'
import { StorageDegraded } from '../../core/index.ts'
import type { Drain } from '../http/drain.ts'
import { ShuttingDown } from '../http/http-problems.ts'
import { resource } from '../http/route.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Services } from '../api/services.ts'

/**
 * What those who run the service ask: whether it can take work (`/ready`), and how it fares
 * (`/metrics`, in the format of Prometheus). Neither names a deposit nor a user.
 */
export function observation(
  { health }: Services,
  { registry }: Metrics,
  drain: Drain,
): FastifyPluginAsync {
  return async (app) => {
    resource(app, '/ready', {
      GET: {
        config: { hosts: 'any' },
        handler: async () => {
          if (drain.isLeaving) throw new ShuttingDown()
          const faults = await health.faults()
          if (faults.length > 0) throw new StorageDegraded()
          return { status: 'ready' }
        },
      },
    })
    resource(app, '/metrics', {
      GET: {
        config: { hosts: 'addresses' },
        handler: async (_request, reply) =>
          reply.type(registry.contentType).send(await registry.metrics()),
      },
    })
  }
}
