import { problem } from '../../core/index.ts'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { atOnce } from './turns.ts'

/** Time between two checks for idle connections. Milliseconds. */
const lookMs = 50
/** Time an accepted connection has to send a whole head once the server closes. Milliseconds. */
const silenceMs = 5000
/** Turns of the event loop that wait for the backlog: Node.js lets it hold 511 connections. */
const mostTurns = 2048
/** A turn in which nothing else was done: one connection more in it is unlikely. Milliseconds. */
const shortMs = 0.2

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
 * Refuses requests that begin on an open connection after the service was told to stop. A connection
 * that was accepted just before is answered once: so a proxy that opens a connection for each
 * request has no accepted one refused.
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

/** Aborted with `broken_upload` when the client is gone: nobody waits for the answer then. */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const leave = (): void => gone.abort(problem('broken_upload'))
  if (raw.closed || raw.destroyed) leave()
  else raw.once('close', leave)
  return gone.signal
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
    whenBacklogIsEmpty(server, done)
  })
}

/**
 * Calls back in a turn of the event loop that found no connection to accept: closing the server cuts
 * off those in the backlog, whose requests may be on their way. libuv accepts one connection a turn,
 * and looks at the start of it: the turn must have been short, for one that came since is cut off.
 */
function whenBacklogIsEmpty(server: Server, done: () => void): void {
  let hasAccepted = true
  let turns = 0
  let began = performance.now()
  const accepted = (): void => {
    hasAccepted = true
  }
  const look = (): void => {
    const isQuiet = !hasAccepted && performance.now() - began < shortMs
    turns += 1
    if (isQuiet || turns >= mostTurns) {
      server.off('connection', accepted)
      done()
      return
    }
    hasAccepted = false
    began = performance.now()
    setImmediate(look)
  }
  server.on('connection', accepted)
  setImmediate(look)
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

/** Bytes that count as progress: a trickle below it is a way to hold a connection. */
const leastBytes = 1024

/** Checks of each request within its time limit. */
const looks = 10

interface Mark {
  readonly bytes: number
  /** Checks without progress since then. */
  readonly missed: number
}

/**
 * Ends requests and answers that make no progress, and no others: a large file over a slow line may
 * take hours. A request whose bytes we do not read, because it waits for its turn or for the disk,
 * is not its client's fault. Looks are counted, not time: after a pause of this process there may be
 * bytes that it has not read yet.
 *
 * @param timeoutMs without progress of the request; an answer has twice as long
 */
export function demandProgress(app: FastifyInstance, timeoutMs: number): void {
  const receiving = new Map<FastifyRequest, Mark>()
  app.addHook(
    'onRequest',
    atOnce((request) => {
      if (hasBody(request)) receiving.set(request, markOf(request))
    }),
  )
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.raw.setTimeout(2 * timeoutMs)
    done(null, payload)
  })
  app.addHook(
    'onResponse',
    atOnce((request) => receiving.delete(request)),
  )
  app.addHook('onRequestAbort', async (request) => void receiving.delete(request))
  const timer = setInterval(() => {
    for (const [request, mark] of receiving) look(request, mark)
  }, timeoutMs / looks)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))

  const look = (request: FastifyRequest, mark: Mark): void => {
    const now = markOf(request)
    if (request.raw.complete) receiving.delete(request)
    else if (isProgress(request, mark, now)) receiving.set(request, now)
    else if (mark.missed < looks) receiving.set(request, { ...mark, missed: mark.missed + 1 })
    else {
      receiving.delete(request)
      stop(request)
    }
  }
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function markOf({ raw }: FastifyRequest): Mark {
  return { bytes: raw.socket.bytesRead, missed: 0 }
}

function isProgress({ raw }: FastifyRequest, before: Mark, now: Mark): boolean {
  return raw.readableFlowing !== true || now.bytes - before.bytes >= leastBytes
}

/** The reader of the body fails and answers for it; without a reader there is nothing to report. */
function stop({ raw }: FastifyRequest): void {
  if (raw.listenerCount('error') > 0) raw.emit('error', problem('request_timeout'))
  else raw.socket.destroy()
}
