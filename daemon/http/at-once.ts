import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'

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
