import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Pages of other origins may read all that is readable without a token: it does not depend
 * on who asks. It is kept for an hour by browsers and caches, and then asked for again by its entity
 * tag. Pages and feeds that list records are asked for again each time, so a new record is there at once.
 *
 * @see WHATWG Fetch, "CORS protocol"
 */
export interface OpenToOrigins {
  /** Whether this request asks for something public. */
  readonly isPublic: (request: FastifyRequest) => boolean | Promise<boolean>
  /** The uses a page of another origin may make of the answer (`Sec-Fetch-Dest`). */
  readonly destinations: ReadonlySet<string>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route whose GET may be read from pages of other origins. */
    readonly shared?: OpenToOrigins
    /** Names under which the route answers, where they are not those of the service. */
    readonly hosts?: 'any' | 'addresses'
    /** Types of patches that the route takes. */
    readonly acceptPatch?: string
  }
}

/** Of documents that are all public. */
export const sharedDocument: OpenToOrigins = {
  isPublic: () => true,
  destinations: new Set(['empty']),
}

/** The uses of files in a page; none that runs them, and no frame. */
export const mediaDestinations: ReadonlySet<string> = new Set([
  'empty',
  'image',
  'audio',
  'video',
  'track',
])

/** Headers that a script may read beside those that every script may. */
const exposed = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Length',
  'Content-Range',
  'Deposit-Api-Version',
  'ETag',
  'Link',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
].join(', ')

/** Headers that a script may send beside those that every script may. */
const sendable = [
  'Accept',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Range',
].join(', ')

/**
 * Whether a request of another origin asks for something public, without credentials and without
 * changing anything. A preflight asks for what it announces.
 */
export function asksForPublic(request: FastifyRequest): boolean | Promise<boolean> {
  const { headers, method, query, routeOptions } = request
  const { shared } = routeOptions.config
  const asked = method === 'OPTIONS' ? headers['access-control-request-method'] : method
  const destination = headers['sec-fetch-dest'] ?? 'empty'
  if (!shared || (asked !== 'GET' && asked !== 'HEAD')) return false
  if (headers.authorization !== undefined || hasCredentials(query)) return false
  if (typeof destination !== 'string' || !shared.destinations.has(destination)) return false
  return shared.isPublic(request)
}

/** @param query as it was parsed: in an address a name can be spelled in many ways */
function hasCredentials(query: unknown): boolean {
  return ['ticket', 'access_token'].some((name) => Object.hasOwn(query ?? {}, name))
}

/** Lets a page of another origin read the answer. */
export function openToOrigins(reply: FastifyReply): void {
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', exposed)
    .header('cross-origin-resource-policy', 'cross-origin')
}

/** Answers the question whether a request may be sent. */
export function answerPreflight(reply: FastifyReply): void {
  reply
    .header('access-control-allow-methods', 'GET, HEAD')
    .header('access-control-allow-headers', sendable)
    .header('access-control-max-age', '86400')
}

/** Seconds for which a public answer is kept. */
const keptSeconds = 3600

/**
 * Marks the answer as public, where no token has taken part in it.
 *
 * @param kept seconds until it changes by itself: it is kept no longer
 */
export function setPublic(
  { caller }: FastifyRequest,
  reply: FastifyReply,
  kept: number | 'no-cache' = keptSeconds,
): void {
  addVary(reply, 'authorization')
  if (caller !== undefined && caller !== 'anonymous') {
    reply.header('cache-control', 'private, no-cache')
    return
  }
  openToOrigins(reply)
  const seconds = kept === 'no-cache' ? kept : `max-age=${Math.min(kept, keptSeconds)}`
  reply.header('cache-control', `public, ${seconds}`)
}

/** Marks the answer as one for its caller alone, which nothing keeps. */
export function setClosed(reply: FastifyReply): void {
  addVary(reply, 'authorization')
  reply.header('cache-control', 'private, no-store')
}

/** Names a header of the request on which the answer depends. */
export function addVary(reply: FastifyReply, name: string): void {
  const named = reply.getHeader('vary')
  const names = typeof named === 'string' ? named.split(', ') : []
  if (!names.includes(name)) reply.header('vary', [...names, name].join(', '))
}
