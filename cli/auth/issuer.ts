import { advice } from '../advice.ts'
import type { Configuration, DiscoveryRequestOptions } from 'openid-client'
import { ownerProofHeader, proveOwner } from '../../core/contract/owner-proof.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { HttpSender } from '../client/http.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { isLoopback, isSameService } from '../../core/base/loopback.ts'
import { readVersion } from '../version.ts'
import { explain } from './explain.ts'

/** The client id of this program. */
export const clientId = 'deposit-cli'

/** Timeout of one request to the issuer. */
const requestMs = 30_000

/** Limit of one answer of the issuer; its keys and metadata take some kilobytes. */
const maxAnswerBytes = 4 * 1024 * 1024

/** The issuer that signs people in to a server. */
export interface Issuer {
  /** Its identifier, which its metadata repeat: `https://login.example.org/realms/a`. */
  readonly name: string
  readonly origin: string
  readonly client: Configuration
}

interface FindOptions {
  readonly server: URL
  readonly http: HttpSender
  /** Allows http to another machine. */
  readonly insecure: boolean
  /**
   * The only issuer allowed, because a secret of this issuer will be sent. Undefined allows none.
   */
  readonly only?: string | undefined
  /** The owner key of this machine: it lifts the daemon's limits on sign-ins. */
  readonly ownerKey?: string
}

/**
 * Asks the server for its issuer, and the issuer for its endpoints.
 *
 * @throws {Failure} there is no such issuer, or talking to it would tell others the tokens
 * @throws {IssuerChanged} the server names another one than `only`
 * @see RFC 9728, RFC 8414; RFC 9700 §4.4
 */
export async function findIssuer(options: FindOptions): Promise<Issuer> {
  const { server, http, insecure, ownerKey } = options
  const url = await askForIssuer(server, http)
  if ('only' in options && options.only !== url.href)
    throw new IssuerChanged(server, url, options.only)
  const isPlain = url.protocol !== 'https:'
  if (isPlain && !isLoopback(url) && !insecure) throw plainIssuer(url)
  // oxlint-disable-next-line typescript/no-deprecated -- the way to speak plain http to a loopback address
  const { allowInsecureRequests, customFetch, discovery, None } = await import('openid-client')
  const request: DiscoveryRequestOptions = {
    [customFetch]: (address: string, init: RequestInit) =>
      send(address, init, http.signal, ownerKey),
    execute: isPlain ? [allowInsecureRequests] : [],
  }
  const client = await explain(`sign in at ${url.origin}`, http.signal, () =>
    discovery(url, clientId, undefined, None(), request),
  )
  return { name: url.href, origin: url.origin, client }
}

async function askForIssuer(server: URL, http: HttpSender): Promise<URL> {
  const connection = new Connection(server, http, withoutToken)
  const answer = await connection.json('find out where to sign in', isResource, {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/api',
  })
  const issuer = URL.parse(answer.authorization_servers[0] ?? '')
  if (issuer === null) throw noIssuer(server, 'it names no issuer')
  // A server that names another resource could make us fetch tokens for that one.
  if (isSameService(URL.parse(answer.resource), server)) return issuer
  throw noIssuer(server, `it says it is ${answer.resource}`)
}

interface ResourceBody {
  readonly resource: string
  readonly authorization_servers: readonly string[]
}

function isResource(body: unknown): body is ResourceBody {
  if (typeof body !== 'object' || body === null) return false
  if (!('resource' in body) || typeof body.resource !== 'string') return false
  return 'authorization_servers' in body && Array.isArray(body.authorization_servers)
}

async function send(
  url: string,
  init: RequestInit,
  interruption: AbortSignal,
  ownerKey: string | undefined,
): Promise<Response> {
  const headers = new Headers(init.headers)
  if (ownerKey !== undefined) {
    const { pathname: path, host } = new URL(url)
    const proof = proveOwner(ownerKey, { method: init.method ?? 'GET', path, host })
    headers.set(ownerProofHeader, proof)
  }
  headers.set('user-agent', `deposit/${readVersion()} (${process.platform})`)
  const signal = AbortSignal.any([
    interruption,
    AbortSignal.timeout(requestMs),
    ...(init.signal ? [init.signal] : []),
  ])
  const { body, status, headers: answered } = await fetch(url, { ...init, headers, signal })
  return new Response(body?.pipeThrough(bounded(url)) ?? null, { status, headers: answered })
}

/** Fails once an answer exceeds the limit. */
function bounded(url: string): TransformStream<Uint8Array, Uint8Array> {
  let left = maxAnswerBytes
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.length
      if (left >= 0) controller.enqueue(chunk)
      else controller.error(new Error(`${url} answers with more than ${maxAnswerBytes} bytes`))
    },
  })
}

function noIssuer({ origin }: URL, said: string): Failure {
  return new Failure({
    tried: `find out where to sign in to ${origin}`,
    said,
    next: advice.checkIssuer(),
  })
}

/** The server has another issuer now, so the stored sign-in is of no use. */
export class IssuerChanged extends Failure {
  constructor({ origin }: URL, { href: now }: URL, before: string | undefined) {
    const was = before === undefined ? 'and the issuer of your sign-in is unknown' : `not ${before}`
    super(
      {
        tried: `renew the sign-in at ${origin}`,
        said: `the issuer of the server is ${now} now, ${was}; your sign-in was not sent there`,
        next: advice.confirmIssuer(),
      },
      { exitCode: exitCodes.signInFirst },
    )
  }
}

function plainIssuer({ origin }: URL): Failure {
  return new Failure({
    tried: `sign in at ${origin}`,
    said: 'over plain http, your tokens can be read on the way',
    next: advice.useHttps(),
  })
}
