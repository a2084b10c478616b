import type {
  FastifyInstance,
  FastifyRequest,
  HTTPMethods,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  FastifyReply,
} from 'fastify'
import { Type, type TSchema } from 'typebox'
import { ofOtherDeposit } from '../../core/contract/scopes.ts'
import {
  authorize,
  authorizeCreate,
  correctPermission,
  permissionFor,
  requirePermission,
  writeScopePermission,
  problem,
  parseDepositId,
  parseVersionId,
  wrongField,
  type Deposit,
  type Intent,
  type Correction,
  type DepositId,
  type FileRequest,
  type FileVersion,
  type SearchParameters,
  type VersionId,
} from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import type { Serializers } from '../config/serializers.ts'
import { takeTurnToRead } from '../http/large-work.ts'
import { atOnce } from '../http/turns.ts'
import { acceptable, requireMediaType, requireMediaTypeOfBody } from '../http/negotiation.ts'
import { expectedRevision, namesFile, requireNamedFile } from '../http/revision.ts'
import { resource as register, type AnswerOf, type Method, type Operation } from '../http/route.ts'
import { mayRelyOnKey, refuseKey } from './idempotency-keys.ts'
import { hasManyFiles, inTurn, type CostOf } from './large-documents.ts'
import { findAhead, forgetAhead } from './read-ahead.ts'
import type { AnswerHeader, Tag } from './openapi/operation.ts'
import { json } from './openapi/parameters.ts'
import type { Services } from './services.ts'

/**
 * The callers who may use a route. The guard before it, the scopes in the API document and its row
 * in the matrix of rights follow from it.
 *
 * - `nothing`: everybody, without a token.
 * - `published`: everybody, where the deposit is published; those who may read a draft. The use case asks.
 * - `token`: everybody with a token.
 * - `account`: the same, unless the token is for one deposit alone.
 * - `create`: those who may make deposits.
 * - `read`, `update`, `delete`, `act`, `manage`: those with that permission on the deposit of the path.
 * - `share`: the same as `manage`, with both scopes, unless the token is for one deposit alone.
 * - `revise`: those who may update, and curators where the draft is submitted for review.
 * - `submit`: those who may update, with either scope.
 * - `judge`: those who review, where it is submitted.
 * - `comment`: those who may update, and those who review.
 * - `curate`: the same as `act`, and curators where the deposit was published.
 * - `correct`: those who may correct published records.
 * - `administer`: administrators, with `deposit:write`, also where they only read.
 */
export type Need =
  | 'nothing'
  | 'published'
  | 'token'
  | 'account'
  | 'create'
  | 'correct'
  | 'administer'
  | Intent

export type Guards = readonly (onRequestHookHandler | onRequestAsyncHookHandler)[]

/** @returns the deposit; undefined where a request was answered before, and needs none */
export type Permit = (request: FastifyRequest, intent: Intent) => Promise<Deposit | undefined>

/** A method of a resource: who may use it, what it takes and answers, how it is described, what it does. */
export interface Route
  extends Omit<Operation, 'scopes' | 'optionalToken'>, Pick<Method, 'config' | 'handler'> {
  readonly tag: Tag
  readonly needs: Need
  readonly answerHeaders?: readonly AnswerHeader[]
  /** Set where a body of another media type than those of `body` is taken as well. */
  readonly takesAnyType?: true
  /** Set where the body can be left out, with its type. */
  readonly canDoWithoutBody?: true
  /** Set where the framework checks the JSON body by its schema; else the handler does. */
  readonly isChecked?: true
  /** Set for a POST or PATCH that, sent again, changes no more than the first time, as PUT and DELETE. */
  readonly isIdempotent?: true
  /** Set where the handler judges parameters of the query that are given more than once. */
  readonly takesRepeated?: true
  /** Media types of the answer; a request that accepts none of them is refused early. */
  readonly offers?: Serializers
  /** Asked before the permission. */
  readonly guards?: Guards
  /** Set where the answer is made of the document of the deposit: large ones take turns. */
  readonly cost?: CostOf
  /** Set where it is made of the files as well: many of them take turns. */
  readonly describesFiles?: true
  /** Finds the deposit and asks for the permission, where the path has no `{pid_value}`. */
  readonly permit?: Permit
  /**
   * Begins to read what the request is about, for a database that is elsewhere: its answer comes
   * while that about the token does. What it finds is used after permission is asked.
   */
  readonly readAhead?: (request: FastifyRequest) => Promise<unknown>
}

export type Routes = Partial<Record<HTTPMethods, Route>>

/** An answer of JSON that needs no words. */
export const done = (schema: TSchema): AnswerOf => ({ description: 'Done.', content: json(schema) })

/** Registers a resource of the API. @param template its route, `{name}` for what is filled in */
export function resource(
  app: FastifyInstance,
  services: Services,
  template: string,
  routes: Routes,
): void {
  const methods = Object.entries(routes).map(
    ([method, route]) => [method, route && toMethod(services, method, route)] as const,
  )
  register(app, toPattern(template), Object.fromEntries(methods))
}

function toMethod(services: Services, method: string, route: Route): Method {
  const { permit = permitInPath(services) } = route
  const { config, handler, isChecked, body = {}, query = {}, takesAnyType, needs } = route
  const ahead = services.parts.database.isShared ? route.readAhead : undefined
  const { cost, guards = [], offers } = route
  const isBodyOptional = route.canDoWithoutBody ?? needs === 'create'
  const { scopes, optionalToken = false, permits } = rightsOf(services, route)
  const types = takesAnyType ? [] : Object.keys(body)
  // A draft can be made from nothing.
  const requireType = isBodyOptional ? requireMediaTypeOfBody : requireMediaType
  return {
    operation: { ...route, ...nameAt(services, route), scopes, optionalToken },
    // A draft is created of a document or of no body; of an empty text, a client has lost one.
    config: {
      ...config,
      ...(route.canDoWithoutBody && { canDoWithoutBody: true }),
      ...(ahead && { readAhead: (request) => void ahead(request).catch(() => {}) }),
    },
    ...(isChecked && { schema: { body: checked(body['application/json'], isBodyOptional) } }),
    // In the order of the contract, and before the body is read: token 401, media type 415,
    // identifier 404 or 410, scope and ownership 403, `If-Match` 412, type of the answer 406.
    onRequest: [
      ...(scopes === 'public' ? [] : [requireToken]),
      ...(types.length > 0 ? [requireType(...types)] : []),
      ...(mayRelyOnKey(method, route) ? [atOnce(refuseKey)] : []),
      ...guards,
      ...permits,
      ...(offers ? [acceptable(offers)] : []),
      ...(route.takesRepeated ? [] : [requireOnce(Object.keys(query))]),
    ],
    handler:
      cost === undefined
        ? handler
        : inTurn(handler, {
            cost,
            permit: (asked) => permit(asked, needs as Intent),
            hasManyFiles: route.describesFiles && ((deposit) => hasManyFiles(services, deposit)),
          }),
  }
}

/**
 * Demands that a parameter is in the address once: of two values, none is what the client means.
 *
 * @param names parameters of the query
 * @throws {DepositError} malformed_request
 */
function requireOnce(names: readonly string[]): onRequestHookHandler {
  return atOnce(({ query }) => {
    const given = query as Readonly<Record<string, unknown>>
    const name = names.find((each) => Array.isArray(given[each]))
    if (name === undefined) return
    throw wrongField('malformed_request', name, 'This is given more than once: give it once.')
  })
}

/** The framework takes a body that is missing for null. */
function checked(schema: TSchema | undefined, isOptional: boolean): TSchema | undefined {
  return schema && isOptional ? Type.Union([Type.Null(), schema]) : schema
}

/** Clients call an operation by its id, so those of a further endpoint have its name in them. */
function nameAt({ endpoint, endpoints, parts }: Services, { id, summary }: Route) {
  const [main] = endpoints.keys()
  if (parts.pidType === main) return { id, summary }
  return { id: `${id}_${endpoint}`, summary: `${summary} (${endpoint})` }
}

interface Rights extends Pick<Operation, 'scopes' | 'optionalToken'> {
  readonly permits: Guards
}

/** The scopes that the document names, and the guard that asks for them. */
function rightsOf(services: Services, { needs, permit = permitInPath(services) }: Route): Rights {
  const { parts, records } = services
  switch (needs) {
    case 'nothing':
      return { scopes: 'public', permits: [] }
    case 'published':
      return { scopes: 'public', optionalToken: true, permits: [] }
    case 'token':
      return { scopes: [], permits: [] }
    case 'account':
      return { scopes: [], permits: [refuseNarrowToken] }
    case 'create': {
      const { scopes } = parts.permissions.create
      return { scopes, permits: [atOnce(({ caller }) => authorizeCreate(parts, caller))] }
    }
    case 'correct': {
      const ask = async (request: FastifyRequest): Promise<void> => {
        const { expected, ...asked } = correction(request)
        const isKnown = expected !== undefined && (await services.attempts.isKnown(request))
        await records.authorize(isKnown ? asked : correction(request))
      }
      return { scopes: correctPermission.scopes, permits: [ask] }
    }
    case 'administer': {
      const permission = writeScopePermission(() => false)
      const ask = atOnce(({ caller }) => requirePermission(caller, permission))
      return { scopes: permission.scopes, permits: [ask] }
    }
    case 'read':
    case 'update':
    case 'delete':
    case 'manage':
    case 'share':
    case 'act':
    case 'curate':
    case 'revise':
    case 'submit':
    case 'judge':
    case 'comment': {
      const ask = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        using _ = await takeTurnToRead(request, reply, () => forgetAhead(request))
        request.deposit = await permit(request, needs)
      }
      return { scopes: permissionFor(parts, needs).scopes, permits: [ask] }
    }
  }
}

/** Asks for the permission on the deposit that the path names. */
function permitInPath({ parts, attempts }: Services): Permit {
  return async (request, intent) => {
    // An answer that was given before is given again, at any revision of the deposit.
    const isKnown = await attempts.isKnown(request)
    const expected = isKnown ? undefined : expectedRevision(request)
    const id = depositId(request)
    const found = await findAhead(request)
    return authorize(parts, request.caller, id, intent, expected, found)
  }
}

/** @throws {DepositError} unauthenticated: the request has no token */
const requireToken = atOnce(({ caller }) => {
  if (caller === 'anonymous') throw problem('unauthenticated')
})

/** @throws {DepositError} permission_denied: the token is for one deposit alone, and not for its user */
const refuseNarrowToken = atOnce(({ caller }) => {
  if (caller === 'anonymous' || caller.onlyDeposit === undefined) return
  throw problem('permission_denied', { message: ofOtherDeposit })
})

declare module 'fastify' {
  interface FastifyRequest {
    /** The deposit that the guard of the route has found, and that the caller may use so. */
    deposit: Deposit | undefined
  }
}

/**
 * Refuses the holder of a link: the answer names people, who may be hidden from them.
 *
 * @throws {DepositError} permission_denied
 */
export function refuseLinks({ caller }: FastifyRequest): void {
  if (caller === 'anonymous' || !caller.link) return
  throw problem('permission_denied', { message: 'A link does not show who made changes.' })
}

/** The deposit as the guard found it, for routes that only read. */
export function guardedDeposit({ deposit }: FastifyRequest): Deposit {
  if (!deposit) throw new Error('a route of a deposit stands behind no guard')
  return deposit
}

/** The value of the identifier in a path. */
export function pidValue({ params }: FastifyRequest): string {
  return (params as { readonly pid_value: string }).pid_value
}

/** The deposit a path names. */
export function depositId(request: FastifyRequest): DepositId {
  return parseDepositId(pidValue(request))
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

/** The parameters of a search as the framework has parsed them. */
export function parameters({ query }: FastifyRequest): SearchParameters {
  return query as SearchParameters
}

/** The caller, the deposit whose files are asked for, and the revision the caller expects. */
export function fileRequest(request: FastifyRequest): FileRequest {
  const expected = expectedRevision(request)
  return { caller: request.caller, id: depositId(request), ...(expected && { expected }) }
}

/**
 * The file that a request to delete one means, where `If-Match` names it by its entity tag.
 *
 * @returns for the use case, which asks when it deletes
 */
export function meantFile(request: FastifyRequest) {
  if (!namesFile(request)) return undefined
  return (version: FileVersion, deposit: Deposit) => requireNamedFile(request, version, deposit)
}

/** The caller, the record to correct, and the revision the caller expects. */
export function correction(request: FastifyRequest): Correction {
  const expected = expectedRevision(request)
  return { caller: request.caller, value: pidValue(request), ...(expected && { expected }) }
}

/** Says which revision a change of its files has brought the deposit to. */
export function setRevision(reply: FastifyReply, deposit: Deposit): void {
  reply.headers(revisionHeader(deposit))
}

export function revisionHeader({ revision }: Deposit) {
  return { 'deposit-revision': String(revision) }
}

/** The version that the header `version_id`, or the parameter of that name or `versionId`, asks for. */
export function version(request: FastifyRequest): VersionId | undefined {
  const query = request.query as Readonly<Record<string, string | undefined>>
  const text = request.headers['version_id'] ?? query['versionId'] ?? query['version_id']
  if (text === undefined || text === '') return undefined
  const id = typeof text === 'string' ? parseVersionId(text) : undefined
  if (!id) throw wrongField('malformed_request', 'version_id', 'A version is named by a UUID.')
  return id
}

/**
 * A file is deleted with all its versions, so a request that names one means something else.
 *
 * @throws {DepositError} malformed_request
 */
export function refuseVersion(request: FastifyRequest): void {
  if (version(request) === undefined) return
  throw wrongField(
    'malformed_request',
    'version_id',
    'No version is deleted alone: a file goes with all.',
  )
}

/** `?revision=` of a record. */
export const revision = Type.Optional(
  Type.Integer({ minimum: 0, description: 'An older revision; the first is 0.' }),
)

/** @throws {DepositError} malformed_request: `?revision=` is no number */
export function revisionOf({ query: asked }: FastifyRequest): number | undefined {
  const { revision: text } = asked as { readonly revision?: unknown }
  if (text === undefined) return undefined
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text)
  throw problem('malformed_request', {
    message: 'revision is no number of a revision: the first is 0.',
  })
}
