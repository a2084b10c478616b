import type { FastifyInstance } from 'fastify'
import { guessLimit, type GuessLimit } from '../identity/guess-limit.ts'

/** Changes a user may make in a minute, and tokens that are no good which may come from an address. */
const mostChanges = 600
const mostFailures = 20

/**
 * Bounds how often a user changes things and an address shows bad tokens: for services that anybody
 * can reach. On a person's own machine nobody is kept from working fast.
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

export function limitFailures(app: FastifyInstance): void {
  const failures: GuessLimit = guessLimit(mostFailures, 60)
  app.addHook('onRequest', async ({ headers, ip }) => {
    if (headers.authorization !== undefined) await failures.requireLeft(ip)
  })
  app.addHook('onResponse', async ({ headers, ip }, { statusCode }) => {
    if (headers.authorization !== undefined && statusCode === 401) await failures.count(ip)
  })
}
