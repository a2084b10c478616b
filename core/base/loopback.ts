/**
 * True for a host that only programs on this machine reach.
 *
 * @param host a name or an address; of IPv6 with or without brackets
 */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

/**
 * True where no one on the way can read along: https, or http that stays on this machine.
 *
 * @see RFC 8252 §8.3
 */
export function isPrivateWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/** True when a request to `url` stays on this machine. */
export function isLoopback(url: URL | null): boolean {
  return isLoopbackHost(url?.hostname ?? '')
}

/** Compares origins; the names of loopback count as the same. */
export function isSameService(one: URL | null, other: URL): boolean {
  if (one?.origin === other.origin) return true
  const isLocal = isLoopback(one) && isLoopback(other)
  return isLocal && one?.port === other.port && one.protocol === other.protocol
}
