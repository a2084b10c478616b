import { problem } from '../../core/index.ts'
import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { atOnce } from './turns.ts'

/**
 * Asks a client that waits with `Expect: 100-continue` for its body, but only once permission has
 * passed: so who is refused sends nothing. Nothing else can be expected.
 *
 * @see RFC 9110 §10.1.1
 */
export function continueWhenPermitted(app: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>()
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request)
    app.server.emit('request', request, response)
  })
  // Without a listener, Node.js answers what else is expected itself, and with no body.
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response)
  })
  app.addHook(
    'onRequest',
    atOnce(({ headers: { expect } }) => {
      if (expect !== undefined && !/^100-continue$/i.test(expect))
        throw problem('unmet_expectation')
    }),
  )
  app.addHook('preParsing', ({ raw }, reply, payload, done) => {
    if (waiting.has(raw)) reply.raw.writeContinue()
    done(null, payload)
  })
}
