import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deposit, FileRequest } from '../../core/index.ts'
import { expectedRevision } from '../http/revision.ts'
import { depositId } from './guards.ts'

/** Who asks for the files of which deposit, and which revision of it they believe to change. */
export function fileRequest(request: FastifyRequest): FileRequest {
  const expected = expectedRevision(request)
  return { caller: request.caller, id: depositId(request), ...(expected && { expected }) }
}

/** Says which revision a change of its files has brought the deposit to. */
export function setRevision(reply: FastifyReply, deposit: Deposit): void {
  reply.headers(revisionHeader(deposit))
}

export function revisionHeader({ revision }: Deposit) {
  return { 'deposit-revision': String(revision) }
}
