import type { FastifyInstance } from 'fastify'
import { guessLimit } from './guess-limit.ts'

/** Changes a user may make in a minute. */
const mostChanges = 600

/**
 * Bounds how often a user changes things: for services that anybody can reach. On a person's own
 * machine nobody is kept from working fast.
 *
 * @see RFC 6585 §4
 */
export function limitChanges(app: FastifyInstance): void {
  const changes = guessLimit(mostChanges, 60)
  app.addHook('onRequest', async ({ caller, method }) => {
    if (caller === 'anonymous' || method === 'GET' || method === 'HEAD') return
    await changes.begin(caller.user)
  })
}
