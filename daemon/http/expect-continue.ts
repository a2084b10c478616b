import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Asks a client that waits with `Expect: 100-continue` for its body, but only once permission has
 * passed: so who is refused sends nothing.
 *
 * @see RFC 9110 §10.1.1
 */
export function continueWhenPermitted(app: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>()
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request)
    app.server.emit('request', request, response)
  })
  app.addHook('preParsing', ({ raw }, reply, payload, done) => {
    if (waiting.has(raw)) reply.raw.writeContinue()
    done(null, payload)
  })
}
