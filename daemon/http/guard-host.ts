import type { FastifyInstance } from 'fastify'
import { WrongHost } from './http-problems.ts'

/**
 * Answers only what is addressed to us. A page that has rebound its name to this machine sends its
 * own name as `Host`, and no other header that would tell.
 *
 * @see RFC 9110 §7.4
 */
export function guardHost(app: FastifyInstance, hosts: () => ReadonlySet<string>): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (hosts().has((headers.host ?? '').toLowerCase())) return
    reply.header('connection', 'close')
    throw new WrongHost()
  })
}
