import {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { atOnce } from './turns.ts'

const idHeader = 'x-request-id'

/** A text that is safe in a log, an audit trail and a header. */
const wellFormed = /^[\w.-]{8,128}$/

/** The id that the client or a proxy gave the request, or one of our own. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[idHeader]
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
}

/** Tells the client the id under which the log and the audit trail have its request. */
export function answerRequestId(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    atOnce(({ id }, reply) => void reply.header(idHeader, id)),
  )
}

/** Writes one line for each request that has ended, under its `request_id`. */
export class RequestLog extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'request_id' })
  }

  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const entry = { ...describeRequest(request), ...outcomeOf(reply) }
    if (error) request.log.error({ ...entry, err: error }, 'request errored')
    else request.log.info(entry, 'request')
  }
}

/**
 * The entry of a request in the log: its route, its user and their address. Values behind the
 * `?` are left out, and the names of sign-ins under way: both may be secrets.
 */
export function describeRequest({ method, url, routeOptions, ip, caller }: FastifyRequest) {
  const isKnown = caller !== undefined && caller !== 'anonymous'
  return {
    method,
    route: routeOptions.url ?? 'none',
    path: withoutSecrets(url),
    ...(isKnown && { user: caller.user }),
    from: ip,
  }
}

/** @returns with the time since the head of the request came, in milliseconds */
function outcomeOf({ statusCode, elapsedTime }: FastifyReply) {
  return { status: statusCode, ms: Math.round(elapsedTime * 10) / 10 }
}

/** Parameters that hold no secret, and change what a request does. */
const plain = /^force=(?:true|false|1|0)?$/

/** A path with the names of its parameters. */
export function withoutSecrets(url: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const names = query
    .split('&')
    .map((given) => (plain.test(given) ? given : (given.split('=', 1)[0] ?? '')))
  const known = path.replace(/^\/oauth\/(auth|interaction)\/.*/, '/oauth/$1/…')
  return query === '' ? known : `${known}?${names.join('&')}`
}
