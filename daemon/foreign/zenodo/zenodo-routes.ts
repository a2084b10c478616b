import type { FastifyPluginAsync } from 'fastify'
import { createMd5Sums } from '../../../core/index.ts'
import type { Services } from '../../api/services.ts'
import { bucketRoutes } from './buckets.ts'
import { depositionRoutes } from './depositions.ts'
import { toZenodoProblem } from './errors.ts'
import { fileRoutes } from './files.ts'
import { recordRoutes } from './records.ts'

interface ZenodoOptions {
  /** Scheme, host and port that clients see. */
  readonly origin: () => string
  /** Whether records of ours never have identifiers of digits alone. */
  readonly hasOwnIdentifiers: boolean
}

/**
 * Zenodo's deposit API over our deposits: the same users, tokens, limits and use cases.
 *
 * @see https://developers.zenodo.org
 */
export function zenodoRoutes(
  services: Services,
  { origin, hasOwnIdentifiers }: ZenodoOptions,
): FastifyPluginAsync {
  const zenodo = { services, origin, md5: createMd5Sums(services.parts) }
  return async (app) => {
    app.addHook('onRoute', (route) => {
      const foreign = { takesForeignTokens: true, writeProblem: toZenodoProblem } as const
      route.config = { ...route.config, ...foreign }
    })
    // An address with a token in it is no key for a cache. @see RFC 6750 §2.3
    app.addHook('onSend', async ({ query }, reply) => {
      const hasToken = Object.hasOwn(query ?? {}, 'access_token')
      if (hasToken) reply.header('cache-control', 'private, no-store')
    })
    await app.register(async (room) => depositionRoutes(room, zenodo))
    await app.register(async (room) => fileRoutes(room, zenodo))
    await app.register(async (room) => bucketRoutes(room, zenodo))
    await app.register(async (room) => recordRoutes(room, zenodo, hasOwnIdentifiers))
  }
}
