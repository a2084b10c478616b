import type { FastifyRequest } from 'fastify'
import { MalformedRequest } from '../../../core/index.ts'

/**
 * The key under which a client may repeat a request; undefined where it gives none.
 *
 * @throws {MalformedRequest} it is empty, too long, or not printable ASCII
 * @see draft-ietf-httpapi-idempotency-key-header
 */
export function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  const reason = 'A key has 1 to 255 printable ASCII characters and no spaces.'
  throw new MalformedRequest('Idempotency-Key', reason)
}
