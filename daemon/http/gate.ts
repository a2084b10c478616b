import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { problems } from '../../core/contract/problems.ts'
import { problem, wrongField, type DepositError } from '../../core/index.ts'
import { asksForPublic, openToOrigins } from './sharing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** False where the `Host` is another name: a page that has rebound it may read the answer. */
    isForOwnName: boolean
  }
}

/**
 * Lets in what is addressed to us and does not come from a stranger's page, before anything else is
 * looked at. A token is needed as well, everywhere; this keeps browsers from being used to guess,
 * to probe and to make trouble.
 *
 * @see RFC 9110 §7.2 and §7.4; W3C Fetch Metadata
 */
export function guardRequests(app: FastifyInstance, names: () => OwnNames): void {
  app.decorateRequest('isForOwnName', false)
  // Most requests wait for no promise.
  app.addHook('onRequest', (request, reply, done) => {
    const own = names()
    requireOwnHost(request, reply, own)
    refuseFrames(request)
    if (!isFromOwnOrigin(request, own) || !isFromOwnPage(request)) return letRead(request, reply)
    done()
    return undefined
  })
}

/** @throws {DepositError} cross_origin: a page of another origin asks for what is not for everybody */
async function letRead(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!(await asksForPublic(request))) throw problem('cross_origin')
  openToOrigins(reply)
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
 * @throws {DepositError} malformed_request: there are several hosts, or the target names another one
 * @throws {DepositError} wrong_host
 */
function requireOwnHost(request: FastifyRequest, reply: FastifyReply, own: OwnNames): void {
  const { raw, routeOptions } = request
  const hosts = raw.rawHeaders.filter((_, i, all) => i % 2 === 1 && isHost(all[i - 1]))
  const [host = ''] = hosts
  request.isForOwnName = own.authorities.has(host.toLowerCase())
  const isOwn = request.isForOwnName || isTaken(host, routeOptions.config.hosts)
  const target = raw.url ?? ''
  if (hosts.length <= 1 && isOwn && /^[/*]/.test(target)) return
  reply.header('connection', 'close')
  const isMissing = hosts.length === 0 && raw.httpVersion !== '1.0'
  if (isMissing || hosts.length > 1)
    throw wrongField('malformed_request', 'host', 'There must be one Host header.')
  if (!isOwn) throw wrongHost(own)
  throw wrongField('malformed_request', '', 'The target of the request names another host.')
}

/** A public address is no secret: it is in every link of the service. One of this machine is not told. */
function wrongHost({ publicOrigin: address }: OwnNames): DepositError {
  if (address === undefined) return problem('wrong_host')
  const message = `${problems.wrong_host.message} Its address is ${address}.`
  return problem('wrong_host', { message, faults: [{ field: 'host', message, address }] })
}

/**
 * Probes may use any name or address. An address cannot be rebound as a name can:
 * who asks by one means this machine.
 */
function isTaken(host: string, hosts: FastifyContextConfig['hosts']): boolean {
  if (hosts === 'any') return host !== ''
  return hosts === 'addresses' && isIP(host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')) > 0
}

function isHost(name: string | undefined): boolean {
  return name?.toLowerCase() === 'host'
}

function isFromOwnOrigin({ headers: { origin } }: FastifyRequest, own: OwnNames): boolean {
  return origin === undefined || own.origins.has(origin)
}

/**
 * The page that a browser says a request comes from. Its silence proves nothing: then
 * the host and the token decide.
 */
function isFromOwnPage({ headers, method, routeOptions }: FastifyRequest): boolean {
  // However its path was spelled, the route is the one that answers; where there is none, nothing does.
  const route = routeOptions.url ?? ''
  const dest = headers['sec-fetch-dest']
  if (typeof dest === 'string' && isPartOfPage(dest, route)) return false
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return true
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && dest === 'document'
  const isRead = method === 'GET' || method === 'HEAD'
  return isNavigation && isRead && isOpenToNavigation(route)
}

/** The interface is no part of a page. */
function isPartOfPage(dest: string, route: string): boolean {
  return /^(?:\/(?:zenodo|rdm))?\/api\//.test(route) && dest !== 'empty' && dest !== 'document'
}

/** @throws {DepositError} cross_origin: nothing of ours is shown inside another page */
function refuseFrames({ headers }: FastifyRequest): void {
  const dest = headers['sec-fetch-dest']
  if (typeof dest !== 'string') return
  if (/^(?:iframe|frame|fencedframe|object|embed)$/.test(dest)) throw problem('cross_origin')
}

/**
 * The routes that a link on a foreign page may open: records and their files, pages, and
 * the sign-in that a program of others begins. Not to what only programs ask for.
 */
const closed = /^\/(?:(?:(?:zenodo|rdm)\/)?api|local|oauth|metrics)(?:\/|$)/
const open = /^\/(?:api\/(?:records|files)\/|oauth\/(?:auth|passphrase)$|oauth\/interaction\/)/

/** @param route the pattern of the route, so that no spelling of a path passes for another one */
function isOpenToNavigation(route: string): boolean {
  return open.test(route) || !closed.test(route)
}

/** The names of the service, and the origins of its own pages. */
export interface OwnNames {
  /** `host:port` as in `Host`, in lower case. */
  readonly authorities: ReadonlySet<string>
  /** `scheme://host:port` as in `Origin`. */
  readonly origins: ReadonlySet<string>
  readonly publicOrigin: string | undefined
}

/**
 * The names this machine has for itself, and the public one where there is one. Nothing else: not
 * every spelling of the address leads to the same origin in a browser.
 *
 * @param local where the service listens
 */
export function ownNames(local: string, publicOrigin: string | undefined): OwnNames {
  const { port } = new URL(local)
  const loopback = ['localhost', '127.0.0.1', '[::1]'].map(
    (host) => new URL(`http://${host}:${port}`),
  )
  const all = publicOrigin === undefined ? loopback : [...loopback, new URL(publicOrigin)]
  return {
    authorities: new Set(all.flatMap(authoritiesOf)),
    origins: new Set(all.map(({ origin }) => origin)),
    publicOrigin,
  }
}

/** With and without the port where it is the scheme's own. */
function authoritiesOf({ host, hostname, protocol, port }: URL): readonly string[] {
  return port === '' ? [host, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host]
}
