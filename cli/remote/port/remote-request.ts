import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { BlockList } from 'node:net'
import type { Readable } from 'node:stream'
import type { BodyWriter } from '../../client/http.ts'

/** A request to a repository of others. */
export interface RemoteRequest {
  /** As the object of "could not". */
  readonly tried: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  /** Below the address of the repository, or whole. */
  readonly path: string
  readonly json?: unknown
  readonly body?: RemoteBody
  readonly headers?: OutgoingHttpHeaders
  /**
   * Whether it may be sent again where its answer was lost. GET, PUT and DELETE may unless this is
   * false; a POST only with true. One that may not fails, and its caller looks what became of it.
   */
  readonly isRepeatable?: boolean
  /** Other statuses that are answers and no failures, such as 404. */
  readonly expected?: readonly number[]
  /** Media type of the answer; JSON by default. */
  readonly accept?: string
  /**
   * Without the token, for an address that carries its own right, as of an object store. Others get
   * it only where {@link mayHaveToken} allows.
   */
  readonly isAnonymous?: boolean
}

export interface RemoteBody {
  /** Bytes. */
  readonly size: number
  readonly type: string
  /** All bytes of a small one: streams cost more than its sending. */
  readonly bytes?: (() => Promise<Buffer>) | undefined
  /** Sends all bytes of a large one. */
  readonly write?: BodyWriter | undefined
  /** Opened for each attempt. */
  readonly open: () => Promise<Readable>
  /** Called with the bytes of a chunk that was sent. */
  readonly onSent?: (bytes: number) => void
}

/** Whether a host is this machine, or has an address that is good in its network alone. */
export function isOfThisNetwork(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (/^(?:.+\.)?localhost$|\.(?:local|internal)$/i.test(host)) return true
  return local.check(host, host.includes(':') ? 'ipv6' : 'ipv4')
}

/** @see RFC 6890 */
const local = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  local.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  local.addSubnet(network, bits, 'ipv6')

/** An answer that was read whole. */
export interface RemoteReply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Undefined where there was none, or it is not JSON. */
  readonly json: unknown
  readonly text: string
}

/**
 * Whether a request to an address may have the token: that of the remote itself, and hosts that the
 * documentation of its service names. Answers name addresses too, and could name any.
 *
 * @param own the address of the remote
 * @param hosts all hosts of the service, where it has several
 */
export function mayHaveToken(address: URL, own: URL, hosts?: RegExp): boolean {
  if (address.protocol !== 'https:' && own.protocol === 'https:') return false
  if (address.host === own.host) return true
  const isOfService = ({ protocol, port, hostname }: URL): boolean =>
    protocol === 'https:' && port === '' && hosts?.test(hostname) === true
  return isOfService(own) && isOfService(address)
}
