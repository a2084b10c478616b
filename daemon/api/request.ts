import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  parseDepositId,
  type Correction,
  type Deposit,
  type DepositId,
  type FileRequest,
  type SearchParameters,
} from '../../core/index.ts'
import { expectedRevision } from '../http/revision.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The deposit that the guard of the route has found, and that the caller may use so. */
    deposit: Deposit | undefined
  }
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

/** Who asks for the files of which deposit, and which revision of it they believe to change. */
export function fileRequest(request: FastifyRequest): FileRequest {
  const expected = expectedRevision(request)
  return { caller: request.caller, id: depositId(request), ...(expected && { expected }) }
}

/** Who corrects which record, and which revision of it they believe to change. */
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
