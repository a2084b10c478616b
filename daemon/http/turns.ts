import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { finished } from 'node:stream'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { whenThereIsTime } from '../../core/base/turns.ts'
import { routes } from '../../core/contract/routes.ts'

/**
 * Handles the pipelined requests of one connection one after another, with a turn of the event loop
 * between them. Node.js begins all of them at once: a thousand fit into one packet, and all other
 * clients would wait for them.
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

/**
 * Begins as many requests in one turn of the event loop as there is time for, in the order in which
 * they came. Health checks are answered before them.
 */
export function takeFairTurns(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (url === routes.health) done()
    else whenThereIsTime(done)
  })
}

/**
 * A hook that waits for nothing. An asynchronous one costs each request a promise and a turn of the
 * queue, and a dozen stand before each route.
 */
export function atOnce(
  work: (request: FastifyRequest, reply: FastifyReply) => void,
): onRequestHookHandler {
  return (request, reply, done) => {
    work(request, reply)
    done()
  }
}
