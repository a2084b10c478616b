import type { FastifyReply, FastifyRequest } from 'fastify'
import { textOfLong, type BucketId, type Deposit, type PublishedRecord } from '../../core/index.ts'
import { waitForTurn, type Cost } from '../http/large-work.ts'
import type { Method } from '../http/route.ts'
import { forgetAhead } from './read-ahead.ts'
import type { Services } from './services.ts'

/** The cost of an answer, where it is the same for all requests, or of the answer to one. */
export type CostOf = Cost | ((request: FastifyRequest, reply: FastifyReply) => Cost)

interface InTurn {
  readonly cost: CostOf
  /** Reads the deposit again, after a wait, and asks for the permission again. */
  readonly permit: (request: FastifyRequest) => Promise<Deposit | undefined>
  /** Of a route that describes all files of the deposit. */
  readonly hasManyFiles?: ((deposit: Deposit) => Promise<boolean>) | undefined
}

/** The handler of a route that waits for its turn where the deposit is large. */
export function inTurn(
  handler: Method['handler'],
  { cost, permit, hasManyFiles }: InTurn,
): Method['handler'] {
  return function (request, reply) {
    const { deposit } = request
    const answer = (): unknown => handler.call(this, request, reply)
    const answerInTurn = async (): Promise<unknown> => {
      const forget = (): void => {
        request.deposit = undefined
        forgetAhead(request)
      }
      const own = typeof cost === 'function' ? cost(request, reply) : cost
      await waitForTurn(request, reply, own, forget)
      request.deposit ??= await permit(request)
      return answer()
    }
    if (!deposit) return answer()
    if (textOfLong(deposit) !== undefined) return answerInTurn()
    return hasManyFiles
      ? hasManyFiles(deposit).then((isLarge) => (isLarge ? answerInTurn() : answer()))
      : answer()
  }
}

/** Files up to which all of them are described at once. */
const fewFiles = 500

/**
 * Waits for the turn of a request that does more with a large record than to send its document, or that
 * describes many files.
 */
export async function waitForRecord(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  record: PublishedRecord,
): Promise<void> {
  const isLarge = textOfLong(record) !== undefined || (await hasManyFiles(services, record))
  if (isLarge) await waitForTurn(request, reply, 'work')
}

/** Whether to describe all files of a deposit or record is work to be done in turn. */
export async function hasManyFiles(
  { parts: { database } }: Services,
  { bucket }: { readonly bucket: BucketId },
): Promise<boolean> {
  const { count = 0 } = (await database.read.files.totals([bucket])).get(bucket) ?? {}
  return count > fewFiles
}
