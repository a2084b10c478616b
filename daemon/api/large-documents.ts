import type { FastifyReply, FastifyRequest } from 'fastify'
import { textOfLong, type Deposit, type PublishedRecord } from '../../core/index.ts'
import { waitForTurn, type Cost } from '../http/large-work.ts'
import type { Method } from '../http/route.ts'
import { forgetAhead } from './read-ahead.ts'

/** The cost of an answer, where it is the same for all requests, or of the answer to one. */
export type CostOf = Cost | ((request: FastifyRequest, reply: FastifyReply) => Cost)

/**
 * The handler of a route that waits for its turn where the deposit is large.
 *
 * @param permit reads the deposit again, after a wait, and asks for the permission again
 */
export function inTurn(
  handler: Method['handler'],
  cost: CostOf,
  permit: (request: FastifyRequest) => Promise<Deposit | undefined>,
): Method['handler'] {
  return function (request, reply) {
    const { deposit } = request
    if (!deposit || textOfLong(deposit) === undefined) return handler.call(this, request, reply)
    const forget = (): void => {
      request.deposit = undefined
      forgetAhead(request)
    }
    const own = typeof cost === 'function' ? cost(request, reply) : cost
    return waitForTurn(request, reply, own, forget).then(async () => {
      request.deposit ??= await permit(request)
      return handler.call(this, request, reply)
    })
  }
}

/** Waits for the turn of a request that does more with a large record than to send its document. */
export async function waitForRecord(
  request: FastifyRequest,
  reply: FastifyReply,
  record: PublishedRecord,
): Promise<void> {
  if (textOfLong(record) !== undefined) await waitForTurn(request, reply, 'work')
}
