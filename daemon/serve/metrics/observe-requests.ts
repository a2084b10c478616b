import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Metrics } from './metrics.ts'

/** Media types of bodies that are files. */
const fileBodies = /^(?:multipart\/form-data|application\/offset\+octet-stream)/

/** Counts every request once, however it ends. */
export function observeRequests(app: FastifyInstance, metrics: Metrics): void {
  const seen: Seen = new WeakMap()
  app.addHook('onRequest', (request, reply, done) => {
    const since = performance.now()
    const isUpload = carriesFile(request)
    if (isUpload) metrics.uploads.inc()
    reply.raw.once('close', () => {
      const { method, routeOptions } = request
      const route = routeOptions.url ?? 'none'
      const failure = signInFailure(request, reply.statusCode)
      if (failure !== undefined) metrics.signInFailures.inc({ kind: failure })
      metrics.requests.inc({ method, route, status: reply.statusCode })
      metrics.seconds.observe({ method, route }, (performance.now() - since) / 1000)
      countBytes(metrics, request.raw.socket, seen)
      if (isUpload) metrics.uploads.dec()
    })
    done()
  })
}

/** The kind of a refusal: a sign-in at a page or the issuer, or a token. */
function signInFailure({ url, headers }: FastifyRequest, status: number): string | undefined {
  if (/^\/(?:oauth|device)(?:\/|\?|$)/.test(url)) {
    return status === 401 || status === 403 || status === 429 ? 'sign-in' : undefined
  }
  return status === 401 && headers.authorization !== undefined ? 'token' : undefined
}

/** Bytes of each connection that were counted already. */
type Seen = WeakMap<Socket, { readonly read: number; readonly written: number }>

function countBytes(metrics: Metrics, socket: Socket, seen: Seen): void {
  const { read, written } = seen.get(socket) ?? { read: 0, written: 0 }
  const { bytesRead, bytesWritten } = socket
  metrics.received.inc(Math.max(0, bytesRead - read))
  metrics.sent.inc(Math.max(0, bytesWritten - written))
  seen.set(socket, { read: bytesRead, written: bytesWritten })
}

function carriesFile({ method, headers, url }: FastifyRequest): boolean {
  if (method === 'PUT') return /\/files\/[^/]+\//.test(url) && !isJson(headers['content-type'])
  return (method === 'POST' || method === 'PATCH') && fileBodies.test(headers['content-type'] ?? '')
}

function isJson(type: string | undefined): boolean {
  return type?.startsWith('application/json') ?? false
}
