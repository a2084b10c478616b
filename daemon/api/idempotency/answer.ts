import type { FastifyReply } from 'fastify'
import type { Deposit, UnitOfWork } from '../../../core/index.ts'
import type { Serializers } from '../../config/serializers.ts'
import { sendAs } from '../../http/by-media-type.ts'

/** An answer as a whole, so that it can be kept and given again. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body: object
}

/**
 * Makes the answer of a change from the deposit as it is saved and what else was made, inside the
 * change's own unit.
 */
export type ToAnswer<Made = unknown> = (
  deposit: Deposit,
  unit: UnitOfWork,
  made: Made,
) => Answer | Promise<Answer>

/** @param serializers where the answer can be sent as more than JSON */
export function sendAnswer(
  reply: FastifyReply,
  { status, headers, body }: Answer,
  serializers?: Serializers,
): FastifyReply {
  reply.code(status).headers(headers)
  return serializers ? sendAs(reply, serializers, body) : reply.send(body)
}
