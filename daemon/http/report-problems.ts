import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TombstoneBody } from '../../core/contract/withdrawal.ts'
import { problems } from '../../core/contract/problems.ts'
import { isProblem } from '../../core/index.ts'
import type { DepositError } from '../../core/index.ts'
import { everyMethod } from './route.ts'
import { openToOrigins, setClosed } from './sharing.ts'
import { toProblem, toProblemBody } from './problem-reply.ts'
import type { Problem } from './problem-reply.ts'

/**
 * Answers every failure from the one table of problems, and logs what is a bug.
 *
 * @param origin scheme, host and port that clients see
 */
export function reportProblems(
  app: FastifyInstance,
  origin: () => string,
  { sendMissing, tellTombstone }: Told,
): void {
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const problem = toProblem(error)
    if (!problem) request.log.error({ err: error }, 'request failed')
    if (isProblem(error, 'damaged_file')) request.log.warn({ err: error }, 'damaged file')
    if (isProblem(error, 'moved', 'newest_version')) {
      reply.header('location', movedUrl(request, error, origin()) ?? origin())
    }
    if (isProblem(error, 'insufficient_scope')) askForScope(reply, error)
    // It may be open in a moment, or for another caller.
    if (isProblem(error, 'files_restricted')) setClosed(reply)
    if (isProblem(error, 'too_many_requests')) reply.header('retry-after', error.details.retryAfter)
    if (!isProblem(error, 'record_withdrawn'))
      return sendProblem(request, reply, problem ?? internalError)
    openToOrigins(reply)
    // As soon as it is restored, it is to be read again.
    reply.header('cache-control', 'no-cache')
    return sendProblem(request, reply, {
      code: error.code,
      message: error.message,
      faults: error.faults,
      tombstone: await tellTombstone(error),
    })
  })
  app.setNotFoundHandler((request, reply) => {
    const isKnown = (everyMethod as readonly string[]).includes(request.method)
    if (isKnown && prefersPage(request)) return sendMissing(reply.code(404))
    return sendProblem(request, reply, isKnown ? notFound : notImplemented)
  })
}

interface Told {
  /** Sends people the page that says that there is nothing. */
  readonly sendMissing: (reply: FastifyReply) => Promise<FastifyReply>
  readonly tellTombstone: (error: DepositError<'record_withdrawn'>) => Promise<TombstoneBody>
}

/** Whether a browser asks, and not a program that takes anything. */
function prefersPage({ method, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && /(?:^|,)\s*text\/html/i.test(headers.accept ?? '')
}

/** Answers what fails before there is a route: an address that cannot be decoded, or too long. */
export function answerFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  void sendProblem(request, reply, toProblem(error) ?? internalError)
}

const internalError: Problem = {
  code: 'internal_error',
  message: problems.internal_error.message,
  faults: [],
}

const notImplemented: Problem = {
  code: 'not_implemented',
  message: problems.not_implemented.message,
  faults: [],
}

const notFound: Problem = { code: 'not_found', message: problems.not_found.message, faults: [] }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Writes failures in the shape of the service whose interface it is. */
    readonly writeProblem?: (problem: Problem, requestId: string) => ForeignProblem
  }
}

/** The body of an error, with the status it is sent with. */
export type ForeignProblem = { readonly status: number; readonly message: string }

/** Sends a problem, without waiting for the rest of the request's body. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply {
  const { writeProblem = toProblemBody } = request.routeOptions.config
  const body = writeProblem(problem, request.id)
  const { status } = body
  if (!request.raw.complete) {
    reply.header('connection', 'close')
    lingerAfterAnswer(request)
  }
  if (status === 401) reply.header('www-authenticate', challengeOf(request, reply))
  const isGone = problem.tombstone !== undefined
  if (reply.hasHeader('cache-control') && !isGone) reply.header('cache-control', 'no-store')
  if (!reply.hasHeader('retry-after') && [423, 429, 503].includes(status)) {
    reply.header('retry-after', '5')
  }
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

/** A bad token is reported as `invalid_token`. @see RFC 6750 §3.1 */
function challengeOf({ headers }: FastifyRequest, { server }: FastifyReply): string {
  const challenge = server.challenge()
  return headers.authorization === undefined ? challenge : `${challenge}, error="invalid_token"`
}

function askForScope(reply: FastifyReply, { details }: DepositError<'insufficient_scope'>): void {
  const parameters = `error="insufficient_scope", scope="${details.scope}"`
  reply.header('www-authenticate', `${reply.server.challenge()}, ${parameters}`)
}

/** Milliseconds that a client has to notice that it was refused, and to stop sending. */
const lingerMs = 500

/**
 * Lets the answer reach a client that is still sending. Closing a socket with bytes unread resets
 * the connection, and a reset may overtake the answer: so what comes is thrown away for a moment.
 *
 * @see RFC 9112 §9.6
 */
function lingerAfterAnswer({ raw }: FastifyRequest): void {
  const { socket } = raw
  socket.destroySoon = () => {
    if (socket.destroyed) return
    socket.end()
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
  }
}

/**
 * The address to send a request for a redirected identifier to: the same, with the other identifier,
 * and without `?revision=`, for the revisions of another record are not those that were asked for.
 *
 * @param origin scheme, host and port that clients see
 * @returns undefined where the identifier is no part of the address
 */
function movedUrl(
  { url, routeOptions }: FastifyRequest,
  { details: { value } }: DepositError<'moved' | 'newest_version'>,
  origin: string,
): string | undefined {
  const pattern = routeOptions.url?.split('/') ?? []
  const position = pattern.indexOf(':pid_value')
  if (position === -1) return undefined
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const segments = path.split('/')
  const kept = query.split('&').filter((pair) => !/^(?:revision(?:=|$)|$)/.test(pair))
  const moved = segments.with(position, encodeURIComponent(value)).join('/')
  return origin + moved + (kept.length === 0 ? '' : `?${kept.join('&')}`)
}
