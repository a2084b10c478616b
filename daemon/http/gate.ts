import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { MalformedRequest } from '../../core/index.ts'
import { atOnce } from './at-once.ts'
import { ForeignOrigin, WrongHost } from './http-problems.ts'
import { isOpenToNavigation } from './navigation.ts'
import type { OwnNames } from './own-names.ts'

/**
 * Lets in what is addressed to us and does not come from a stranger's page, before anything else is
 * looked at. A token is needed as well, everywhere; this keeps browsers from being used to guess,
 * to probe and to make trouble.
 *
 * @see RFC 9110 §7.2 and §7.4; W3C Fetch Metadata
 */
export function guardRequests(app: FastifyInstance, names: () => OwnNames): void {
  app.addHook(
    'onRequest',
    atOnce((request, reply) => {
      const own = names()
      requireOwnHost(request, reply, own)
      requireOwnOrigin(request, own)
      requireOwnPage(request)
    }),
  )
}

/**
 * The path of a request in absolute form, where it names us: such requests are served as all others.
 *
 * @see RFC 9112 §3.2.2
 */
export function toOriginForm({ url = '' }: IncomingMessage, names: () => OwnNames): string {
  const [, authority = '', rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (!names().authorities.has(authority.toLowerCase())) return url
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * A page that has rebound its name to this machine sends its own name as `Host`, and no other
 * header that would tell.
 *
 * @throws {MalformedRequest} there are several hosts, or the target names another one
 * @throws {WrongHost}
 */
function requireOwnHost({ raw }: FastifyRequest, reply: FastifyReply, own: OwnNames): void {
  const hosts = raw.rawHeaders.filter((_, i, all) => i % 2 === 1 && isHost(all[i - 1]))
  const isOwn = own.authorities.has(hosts[0]?.toLowerCase() ?? '')
  const target = raw.url ?? ''
  if (hosts.length <= 1 && isOwn && /^[/*]/.test(target)) return
  reply.header('connection', 'close')
  const isMissing = hosts.length === 0 && raw.httpVersion !== '1.0'
  if (isMissing || hosts.length > 1)
    throw new MalformedRequest('host', 'There must be one Host header.')
  if (!isOwn) throw new WrongHost()
  throw new MalformedRequest('', 'The target of the request names another host.')
}

function isHost(name: string | undefined): boolean {
  return name?.toLowerCase() === 'host'
}

/** @throws {ForeignOrigin} a page of somebody else's sends this */
function requireOwnOrigin({ headers: { origin } }: FastifyRequest, own: OwnNames): void {
  if (origin !== undefined && !own.origins.has(origin)) throw new ForeignOrigin()
}

/**
 * What a browser says of the page a request comes from. That it says nothing proves nothing: then
 * the host and the token decide.
 *
 * @throws {ForeignOrigin}
 */
function requireOwnPage({ headers, method, routeOptions }: FastifyRequest): void {
  // However its path was spelled, the route is the one that answers; where there is none, nothing does.
  const route = routeOptions.url ?? ''
  const dest = headers['sec-fetch-dest']
  if (typeof dest === 'string' && isEmbedded(dest, route)) throw new ForeignOrigin()
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && dest === 'document'
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isNavigation || !isRead || !isOpenToNavigation(route)) throw new ForeignOrigin()
}

/** Nothing of ours is shown inside another page, and the interface is no part of one either. */
function isEmbedded(dest: string, route: string): boolean {
  if (/^(?:iframe|frame|fencedframe|object|embed)$/.test(dest)) return true
  return route.startsWith('/api/') && dest !== 'empty' && dest !== 'document'
}
