import { problem } from '../../core/index.ts'
import { setImmediate } from 'node:timers/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { atOnce } from './turns.ts'

/** How often connections that have nothing under way any more are looked for. */
const lookMs = 50
/** How long a connection that was let in may take to send a whole head, once the server closes. */
const silenceMs = 5000

/** Whether the service was told to stop: it says so first, and takes no more requests then. */
export class Drain {
  #isLeaving = false
  #isDraining = false

  get isLeaving(): boolean {
    return this.#isLeaving
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  leave(): void {
    this.#isLeaving = true
  }

  begin(): void {
    this.#isLeaving = true
    this.#isDraining = true
  }
}

/**
 * Refuses what begins on a connection that is open still, once the service was told to stop. Who was
 * let in just before is answered once: a proxy that opens a connection for each request has none of
 * them refused that was accepted.
 */
export function refuseWhileDraining(app: FastifyInstance, drain: Drain): void {
  app.addHook(
    'onRequest',
    atOnce(({ raw }, reply) => {
      if (!drain.isDraining) return
      reply.header('connection', 'close')
      if (raw.socket.bytesWritten === 0) return
      throw problem('shutting_down')
    }),
  )
}

/**
 * Closes connections that carry no request once the server closes: those between two requests, and
 * those that have not sent the head of one. Browsers open connections in advance, and Node.js would
 * wait for them without end.
 */
export function closeUnused(app: FastifyInstance): void {
  const { server } = app
  const sockets = new Map<Socket, readonly Exchange[]>()
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, [])
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const before = sockets.get(socket)?.filter(isUnderWay)
    if (before) sockets.set(socket, [...before, { request, response }])
  })
  app.addHook('preClose', (done) => {
    const looking = setInterval(() => server.closeIdleConnections(), lookMs)
    const silence = setTimeout(() => {
      for (const [socket, begun] of sockets) if (!begun.some(isUnderWay)) socket.destroy()
    }, silenceMs)
    server.once('close', () => {
      clearInterval(looking)
      clearTimeout(silence)
    })
    done()
  })
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

function isUnderWay({ request, response }: Exchange): boolean {
  return !response.closed || !request.complete
}

/**
 * Refuses new connections and requests, lets those that are under way end, and closes the server.
 *
 * @param limitMs after which all connections are cut
 * @returns false where some were cut
 */
export async function drainApp(
  app: FastifyInstance,
  drain: Drain,
  limitMs: number,
): Promise<boolean> {
  drain.begin()
  // Connections in the backlog are accepted first: closing the server would cut them off.
  await setImmediate()
  let wasCut = false
  const limit = setTimeout(() => {
    wasCut = true
    app.server.closeAllConnections()
  }, limitMs)
  try {
    await app.close()
    return !wasCut
  } finally {
    clearTimeout(limit)
  }
}
