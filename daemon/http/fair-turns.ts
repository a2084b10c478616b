import type { FastifyInstance } from 'fastify'
import { whenThereIsTime } from '../../core/base/give-way.ts'
import { routes } from '../../core/contract/routes.ts'

/**
 * Begins as many requests in one turn of the event loop as there is time for, in the order in which
 * they came. What asks whether the service is alive is answered before them.
 */
export function takeFairTurns(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (url === routes.health) done()
    else whenThereIsTime(done)
  })
}
