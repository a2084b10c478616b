import type { FastifyRequest } from 'fastify'
import type { DepositError } from '../../core/index.ts'

/**
 * Where a request for a redirected identifier is to go: the same address with the new identifier.
 *
 * @param origin scheme, host and port that clients see
 * @returns undefined where the identifier is no part of the address
 */
export function movedUrl(
  { url, routeOptions }: FastifyRequest,
  { details: { value } }: DepositError<'moved'>,
  origin: string,
): string | undefined {
  const pattern = routeOptions.url?.split('/') ?? []
  const position = pattern.indexOf(':pid_value')
  if (position === -1) return undefined
  const segments = url.split('/')
  return origin + segments.with(position, encodeLast(segments[position] ?? '', value)).join('/')
}

/** What stands behind the last segment of a path is kept: the query. */
function encodeLast(segment: string, value: string): string {
  const query = segment.indexOf('?')
  return encodeURIComponent(value) + (query === -1 ? '' : segment.slice(query))
}
