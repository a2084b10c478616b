import type { FastifyRequest } from 'fastify'
import type { Deposit, DepositId } from '../../core/index.ts'
import type { Services } from './services.ts'

/** Deposits that were read for requests before their callers are known. */
const found = new WeakMap<FastifyRequest, Promise<Deposit | undefined>>()

/** Those that are read at once, for all callers together. */
const most = 32
let reading = 0

/** Reads a deposit for the guard of the route; undefined, at once, where many are being read. */
export async function readDepositAhead(
  { parts }: Services,
  request: FastifyRequest,
  id: DepositId,
): Promise<Deposit | undefined> {
  if (reading >= most) return undefined
  reading += 1
  const finding = parts.database.read.deposits.find(id).finally(() => (reading -= 1))
  found.set(request, finding)
  return finding
}

/** The deposit that was read ahead for a request; undefined where none was. */
export async function findAhead(request: FastifyRequest): Promise<Deposit | undefined> {
  return found.get(request)
}

/** Lets the guard read the deposit again: until the turn of the request it may change, and takes room. */
export function forgetAhead(request: FastifyRequest): void {
  found.delete(request)
}
