import {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { IncomingMessage } from 'node:http'
import { atOnce } from './turns.ts'
import { actAs, isProblem, type Act, type UnitOfWork } from '../../core/index.ts'
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
  readonly #logger: Pick<Logger, 'isLevelEnabled'>

  constructor(logger: Pick<Logger, 'isLevelEnabled'>) {
    super({ requestIdLogLabel: 'request_id' })
    this.#logger = logger
  }

  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (!error && !this.#logger.isLevelEnabled('info')) return
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
    deed: Deed | undefined
    /** Why it failed, where the status of the answer does not say so. */
    failed: string | undefined
    /** Set once a change of the request is in the audit trail. */
    isNoted: boolean
  }
}

/** What is done, in words, or made out within the unit of work that does it. */
export type Deed =
  | string
  | (Pick<Act, 'begin'> & { readonly words: (unit?: UnitOfWork) => Promise<string> | string })

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Notes each request that changes something, in the unit of work that changes it; and beside it each
 * that was refused for want of a right, or failed where it would have changed something.
 */
export function auditRequests(app: FastifyInstance, audit: Audit): void {
  app.decorateRequest('actor')
  app.decorateRequest('deed')
  app.decorateRequest('failed')
  app.decorateRequest('isNoted', false)
  app.addHook('preHandler', (request, _reply, done) => {
    if (reads.has(request.method)) done()
    else actAs(actOf(request), done)
  })
  app.addHook('onError', (request, _reply, error, done) => {
    if (isProblem(error)) request.failed ??= error.code
    done()
  })
  app.addHook('onResponse', async (request, { statusCode: status }) => {
    const { deed, failed } = request
    const isRefused = status === 401 || status === 403
    const isChange = !reads.has(request.method)
    const isTold = isChange && (status < 400 ? !request.isNoted : isKnown(request))
    if (!isTold && !isRefused && deed === undefined) return
    if (request.isNoted && status < 400) return
    const what = await wordsOf(request)
    audit.note({
      ...entryOf(request),
      what,
      ...changeOf(request),
      status,
      ...(failed !== undefined &&
        (status >= 400 || deed !== undefined) && { failed: withoutPeople(failed) }),
    })
  })
}

/** The name of a caller, or of one who acts without a token; undefined for a visitor. */
function nameOf({ caller, actor }: FastifyRequest): string | undefined {
  return caller === undefined || caller === 'anonymous' ? actor : caller.user
}

function isKnown(request: FastifyRequest): boolean {
  return nameOf(request) !== undefined
}

function actOf(request: FastifyRequest): Act {
  return {
    begin: async (unit) => {
      const { deed } = request
      if (typeof deed === 'object') await deed.begin?.(unit)
    },
    tell: async (unit) => {
      const status = successOf(request)
      const what = await wordsOf(request, unit)
      return {
        ...entryOf(request),
        what,
        ...changeOf(request),
        ...(status !== undefined && { status }),
      }
    },
    noted: () => {
      request.isNoted = true
    },
  }
}

async function wordsOf(
  { deed, method, routeOptions }: FastifyRequest,
  unit?: UnitOfWork,
): Promise<string> {
  if (typeof deed === 'object') return deed.words(unit)
  return deed ?? `${method} ${routeOptions.url ?? ''}`.trim()
}

/** The status of an answer that succeeds, where there is but one. */
function successOf({ routeOptions: { config } }: FastifyRequest): number | undefined {
  const statuses = Object.keys(config.operation?.answers ?? {})
  const [only, ...others] = statuses.map(Number).filter((status) => status < 400)
  return others.length === 0 ? only : undefined
}

/** The deposit that the guard of the route has found. */
function changeOf({ deposit }: FastifyRequest) {
  return deposit && { deposit: deposit.id, was: deposit.revision }
}

/** E-mail addresses that a message names are left out: the trail knows people by id alone. */
export function withoutPeople(text: string): string {
  return text.replaceAll(/[^\s@"'<>/=]+@[^\s@"'<>/]+/g, '…')
}

function entryOf(request: FastifyRequest) {
  const { url, ip, id, caller } = request
  const who = nameOf(request)
  const token = caller === undefined || caller === 'anonymous' ? undefined : caller.token
  return {
    ...(who !== undefined && { who }),
    ...(token && { token: token.id ?? token.name }),
    on: withoutSecrets(url),
    from: ip,
    request_id: id,
  }
}
