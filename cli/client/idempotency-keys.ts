import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { ApiFailure } from './api-failure.ts'

/**
 * Sends a request with an idempotency key, so that it can be sent again. If it is refused because there
 * is no room to keep its answer, it is sent without one, and then only once.
 *
 * @param given a key that the caller may send again; without it one is made
 */
export async function keyed<T>(
  given: string | undefined,
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  try {
    return await send({ 'idempotency-key': given ?? randomUUID() })
  } catch (error) {
    if (given !== undefined || !isWithoutRoomForAnswer(error)) throw error
    return send({})
  }
}

/** The request is possible without its idempotency key: its answer alone has no room. */
export function isWithoutRoomForAnswer(error: unknown): boolean {
  if (!(error instanceof ApiFailure) || error.problem.code !== 'quota_exceeded') return false
  return error.problem.errors?.some(({ field }) => field === 'Idempotency-Key') ?? false
}

/** Prevents a second version by a retry. A new file needs no key: its retry is refused. */
export function onlyOnce(replace: boolean, idempotencyKey?: string): OutgoingHttpHeaders {
  if (!replace) return { 'if-none-match': '*' }
  return idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
}
