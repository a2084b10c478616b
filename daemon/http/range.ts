import type { FastifyReply, FastifyRequest } from 'fastify'
import { problem, type ByteRange } from '../../core/index.ts'

/**
 * The one range a request asks for; undefined where the whole file is to be sent: without the
 * header, with several ranges, with one that cannot be read, or when `If-Range` names another
 * version.
 *
 * @param size bytes of the file
 * @throws {DepositError} range_not_satisfiable: the range begins behind the end
 * @see RFC 9110 §14.2
 */
export function parseRange(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  size: number,
  etag: string,
): ByteRange | undefined {
  const condition = headers['if-range']
  if (typeof condition === 'string' && condition !== etag) return undefined
  const found = /^bytes=(\d*)-(\d*)$/.exec(headers.range?.replaceAll(' ', '') ?? '')
  if (!found) return undefined
  const [, first = '', last = ''] = found
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  if (start >= size || (first === '' && Number(last) === 0)) {
    reply.header('content-range', `bytes */${size}`)
    throw problem('range_not_satisfiable', { size })
  }
  return { start, end }
}
