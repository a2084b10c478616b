import type { FastifyReply } from 'fastify'
import type { Deposit, UnitOfWork } from '../../core/index.ts'

/** An answer as a whole, so that it can be kept and given again. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body: unknown
}

/** Makes the answer of a change from the deposit as it is saved, inside the change's own unit. */
export type ToAnswer = (deposit: Deposit, unit: UnitOfWork) => Answer | Promise<Answer>

export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
