import { problem } from '../../core/index.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { atOnce } from './turns.ts'

/** Bytes that count as progress: a trickle below it is a way to hold a connection. */
const leastBytes = 1024

/** How often each request is looked at in the time that it has. */
const looks = 10

interface Mark {
  readonly bytes: number
  /** How many times there was no progress since then. */
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
