import {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { atOnce } from './turns.ts'
import type { Audit } from './audit.ts'

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

/** Names of parameters, with a value and without; everything else might be a secret. */
const named = /^[a-z][\w.-]{0,23}$/i
const alone = /^[a-z_]{1,12}$/

/** A path with the names of its parameters. */
function withoutSecrets(url: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const names = query.split('&').map((given) => {
    if (plain.test(given)) return given
    const [name = '', value] = given.split('=', 2)
    return (value === undefined ? alone : named).test(name) ? name : '…'
  })
  const known = path.replace(/^\/oauth\/(auth|interaction)\/.*/, '/oauth/$1/…')
  return query === '' ? known : `${known}?${names.join('&')}`
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The name in the audit trail of one who acts without a token. */
    actor: string | undefined
    /** The action, if the route does not name it. */
    deed: string | undefined
    /** Why it failed, where the status of the answer does not say so. */
    failed: string | undefined
    /** Path of what was made, where the answer has no location. */
    made: string | undefined
    /** Keys of the files that were stored, where the answer has no location. */
    storedFiles: readonly string[] | undefined
  }
}

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Notes each request that changed something, and each that was refused for want of a right. */
export function auditRequests(app: FastifyInstance, audit: Audit): void {
  app.decorateRequest('actor')
  app.decorateRequest('deed')
  app.decorateRequest('failed')
  app.decorateRequest('made')
  app.decorateRequest('storedFiles')
  app.addHook(
    'onResponse',
    atOnce((request, reply) => {
      const { statusCode: status } = reply
      const isChange = !reads.has(request.method) && status < 400
      const isWanted = isChange || request.deed !== undefined || status === 401 || status === 403
      if (!isWanted) return
      audit.note({ ...entryOf(request), ...(isChange && changeOf(request, reply)), status })
    }),
  )
}

/** Identifiers and revisions of what a request has changed, as its answer names them. */
function changeOf(request: FastifyRequest, reply: FastifyReply) {
  const { deposit, storedFiles } = request
  const revision = header(reply, 'deposit-revision') ?? header(reply, 'etag')?.replaceAll('"', '')
  const location = header(reply, 'content-location') ?? header(reply, 'location')
  // A redirect of a sign-in is no place of a thing that was made.
  const located = reply.statusCode < 300 ? URL.parse(location ?? '')?.pathname : undefined
  const made = request.made ?? located
  return {
    ...(deposit && { deposit: deposit.id, was: deposit.revision }),
    ...(revision !== undefined && /^\d+$/.test(revision) && { revision: Number(revision) }),
    ...(made !== undefined && { made }),
    ...(storedFiles && { files: storedFiles }),
  }
}

function header(reply: FastifyReply, name: string): string | undefined {
  const value = reply.getHeader(name)
  return typeof value === 'string' ? value : undefined
}

function entryOf(request: FastifyRequest) {
  const { method, url, routeOptions, ip, id, actor, deed, failed, caller } = request
  const signedIn = caller === undefined || caller === 'anonymous' ? undefined : caller
  const who = signedIn?.user ?? actor
  return {
    ...(who !== undefined && { who }),
    ...(signedIn && { token: signedIn.token.name }),
    ...(signedIn?.token.id !== undefined && { token_id: signedIn.token.id }),
    ...(failed !== undefined && { failed }),
    what: deed ?? `${method} ${routeOptions.url ?? ''}`.trim(),
    on: withoutSecrets(url),
    from: ip,
    request_id: id,
  }
}
