import type { FastifyInstance } from 'fastify'
import { finished } from 'node:stream'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Handles the pipelined requests of one connection one after another, with a turn of the event loop
 * between them. Node.js begins all of them at once: a thousand fit into one packet, and everybody
 * else would wait for them.
 *
 * @see RFC 9112 §9.3.2
 */
export function queuePipelined(app: FastifyInstance): void {
  const last = new WeakMap<Socket, ServerResponse>()
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    const before = last.get(socket)
    last.set(socket, response)
    if (!before || before.writableFinished || before.destroyed) done()
    else finished(before, () => setImmediate(done))
  })
}
