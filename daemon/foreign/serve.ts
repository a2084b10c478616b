import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  authorize,
  canonicalJson,
  isProblem,
  permissionFor,
  problem,
  requirePermission,
  type Beside,
  type Caller,
  type Deposit,
  type ExpectedRevision,
  type FileRequest,
  type Intent,
  type Json,
  type JsonObject,
} from '../../core/index.ts'
import { resource, type Permit, type Route, type Routes } from '../api/route.ts'
import type { Services } from '../api/services.ts'
import { parseBody, requestDigest } from '../http/bodies.ts'
import { patchTypes } from '../http/negotiation.ts'
import { expectedRevision } from '../http/revision.ts'
import { findNumbered } from './numbers.ts'

/** A method of another service's interface, which documents it: our API document leaves it out. */
export type ForeignRoute = Pick<Route, 'needs' | 'handler' | 'permit' | 'config' | 'cost'>

/** Registers a resource of another service's interface under each of its addresses. */
export function serve(
  app: FastifyInstance,
  services: Services,
  templates: readonly string[],
  methods: Partial<Record<keyof Routes, ForeignRoute>>,
): void {
  const routes = Object.entries(methods).map(([method, route]) => {
    const described = { id: '', tag: 'service', summary: '', answers: {}, isForeign: true } as const
    return [
      method,
      { permit: permitNumbered(services), takesAnyType: true, ...described, ...route },
    ]
  })
  for (const template of templates) {
    resource(app, services, template, Object.fromEntries(routes) as Routes)
  }
}

/** Asks for the permission on the deposit whose integer the path has. */
function permitNumbered(services: Services): Permit {
  const { parts } = services
  return async (request, intent) => {
    const { caller, params } = request
    // Without a token the answer does not reveal which depositions exist.
    if (caller === 'anonymous') throw problem('unauthenticated')
    const { id: text } = params as { readonly id: string }
    const named = await findNumbered(parts, text).catch((error: unknown) => {
      requireScopes(services, caller, intent)
      throw error
    })
    if (named.kind === 'concept') throw problem('deposit_not_found')
    return authorize(parts, caller, named.id, intent, await demanded(services, request, intent))
  }
}

/**
 * Clients ask by a number that is none's whether a token may do something, as of Zenodo itself.
 *
 * @throws {DepositError} insufficient_scope, permission_denied
 */
function requireScopes({ parts }: Services, caller: Caller, intent: Intent): void {
  requirePermission(caller, { ...permissionFor(parts, intent), check: () => true })
}

/** The revision that a change demands by `If-Match`; none of one that was made and answered before. */
export async function demanded(
  { attempts }: Services,
  request: FastifyRequest,
  intent: Intent,
): Promise<ExpectedRevision> {
  const isChecked = intent !== 'read' && !(await attempts.isKnown(request))
  return isChecked ? expectedRevision(request) : undefined
}

/** The caller, the deposit whose files are asked for, and the revision the caller expects. */
export function askedOf(request: FastifyRequest, { id }: Pick<Deposit, 'id'>): FileRequest {
  const expected = expectedRevision(request)
  return { caller: request.caller, id, ...(expected && { expected }) }
}

/**
 * Makes a change once, however often it is asked for with an `Idempotency-Key`. Asked again, it answers
 * the deposit as it is now.
 *
 * @returns the deposit that was changed or made
 * @throws {DepositError} idempotency_key_reused
 */
export async function once(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  make: (beside: Beside) => Promise<unknown>,
): Promise<Deposit> {
  const { body } = request
  using attempt = await services.attempts.begin(request)
  const { body: made } = await attempt.outcome<unknown>(reply, {
    content: body === undefined || body === null ? '' : canonicalJson(body as Json),
    make,
    toAnswer: ({ id }) => ({ status: 200, headers: {}, body: { id } }),
  })
  const { id } = made as Pick<Deposit, 'id'>
  const deposit = await services.parts.database.read.deposits.find(id)
  if (deposit) return deposit
  throw problem('deposit_not_found')
}

/**
 * Replaces the metadata of a draft. If a file arrives at the same time, which is a revision too, the
 * document is made again from the deposit as it is then, unless `If-Match` names a revision.
 *
 * @param documentOf undefined where nothing is to be replaced
 */
export async function replaceDocument(
  { deposits }: Services,
  request: FastifyRequest,
  found: Deposit,
  documentOf: (deposit: Deposit) => JsonObject | undefined,
): Promise<Deposit> {
  const { caller } = request
  const isDemanded = expectedRevision(request) !== undefined
  for (let deposit = found, tries = 1; ; tries += 1) {
    const document = documentOf(deposit)
    if (document === undefined) return deposit
    try {
      return await deposits.replace(caller, deposit.id, document, [deposit.revision])
    } catch (error) {
      const isLast = isDemanded || tries === mostTries
      if (!isProblem(error, 'stale_revision') || isLast) throw error
      deposit = await deposits.get(caller, deposit.id)
    }
  }
}

/** Attempts to replace metadata while other requests change the deposit. */
const mostTries = 20

/**
 * Reads every body as JSON, whatever type it is said to be: scripts leave the type out, or name that
 * of forms. No body at all is none. Forms with parts are left to those who receive them.
 */
export function readBodiesAsJson(app: FastifyInstance): void {
  app.removeContentTypeParser([...patchTypes])
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : parseBody(request, body),
  )
}

/** Size and digests of the bytes that follow; MD5 is computed on the way. */
export function incomingBytes(request: FastifyRequest) {
  const length = request.headers['content-length']
  const checksum = requestDigest(request)
  return {
    algorithms: ['md5'],
    ...(length !== undefined && { expectedSize: Number(length) }),
    ...(checksum !== undefined && { checksum }),
  }
}
