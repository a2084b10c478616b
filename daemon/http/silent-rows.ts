import type { FastifyInstance } from 'fastify'
import { problem, type Database } from '../../core/index.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** It is answered without the rows as well. */
    needsNoRows?: true
  }
}

/**
 * Refuses requests at once while the server that has the rows gives no answer: each would wait for ten
 * seconds, and be refused then.
 */
export function refuseWhileSilent(
  app: FastifyInstance,
  { isSilent }: Pick<Database, 'isSilent'>,
): void {
  app.addHook('onRequest', ({ routeOptions }, _reply, done) => {
    const isVain = routeOptions.config.needsNoRows !== true && isSilent()
    done(isVain ? problem('storage_unavailable') : undefined)
  })
}
