import type { FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import {
  authorize,
  authorizeCreate,
  parseDepositId,
  Unauthenticated,
  type Correction,
  type Deposit,
  type DepositId,
  type Intent,
} from '../../core/index.ts'
import { atOnce } from '../http/at-once.ts'
import { requireMediaType, requireMediaTypeOfBody } from '../http/media-types.ts'
import { expectedRevision } from '../http/revision.ts'
import type { Services } from './services.ts'

/**
 * What stands before a route, in the order of the contract: token 401, media type 415, identifier
 * 404 or 410, scope and ownership 403, `If-Match` 412. All of it comes before the body is read.
 */
export type Guards = (onRequestHookHandler | onRequestAsyncHookHandler)[]

declare module 'fastify' {
  interface FastifyRequest {
    /** The deposit that {@link guardDeposit} has found and let the caller pass to. */
    deposit: Deposit | undefined
  }
}

/** The value of the identifier in a path. */
export function pidValue({ params }: FastifyRequest): string {
  return (params as { readonly pid_value: string }).pid_value
}

/** The deposit a path names. */
export function depositId(request: FastifyRequest): DepositId {
  return parseDepositId(pidValue(request))
}

/** Who corrects which record, and which revision of it they believe to change. */
export function correction(request: FastifyRequest): Correction {
  const expected = expectedRevision(request)
  return { caller: request.caller, value: pidValue(request), ...(expected && { expected }) }
}

/** The deposit as the guard found it, for routes that only read. */
export function guardedDeposit({ deposit }: FastifyRequest): Deposit {
  if (!deposit) throw new Error('a route of a deposit stands behind no guard')
  return deposit
}

/** The part of a path behind the last named segment. */
export function wildcard({ params }: FastifyRequest): string {
  return (params as { readonly '*': string })['*']
}

/**
 * As {@link wildcard}, of a path that ends in the key of a file. A slash at its end, which the
 * router leaves out, is a part of it here; no key ends in one, so there is no such file.
 */
export function keyInPath(request: FastifyRequest): string {
  const [path = ''] = request.url.split('?')
  return path.endsWith('/') ? `${wildcard(request)}/` : wildcard(request)
}

/** @throws {Unauthenticated} the request has no token */
export const requireToken = atOnce(({ caller }) => {
  if (caller === 'anonymous') throw new Unauthenticated()
})

/** For routes of one deposit. */
export function guardDeposit(
  { parts, attempts }: Services,
  intent: Intent,
  ...mediaTypes: readonly string[]
): Guards {
  return [
    requireToken,
    ...(mediaTypes.length > 0 ? [requireMediaType(...mediaTypes)] : []),
    async (request: FastifyRequest) => {
      const { caller } = request
      // What was answered before is answered again, whatever the deposit's revision is by now.
      const isKnown = await attempts.isKnown(request)
      const expected = isKnown ? undefined : expectedRevision(request)
      request.deposit = await authorize(parts, caller, depositId(request), intent, expected)
    },
  ]
}

/** For the route that makes deposits. */
export function guardCreate({ parts }: Services, ...mediaTypes: readonly string[]): Guards {
  return [
    requireToken,
    requireMediaTypeOfBody(...mediaTypes),
    atOnce(({ caller }) => authorizeCreate(parts, caller)),
  ]
}
