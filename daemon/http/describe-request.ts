import type { FastifyRequest } from 'fastify'

/**
 * What the log says of a request: where it came from and what it is about. Values behind the `?`
 * are left out, and the names of sign-ins under way: both may be secrets.
 */
export function describeRequest({ method, url, host, ip }: FastifyRequest) {
  return { method, url: withoutSecrets(url), host, remoteAddress: ip }
}

/** Parameters that hold no secret, and change what a request does. */
const plain = /^force=(?:true|false|1|0)?$/

/** A path with the names of its parameters. */
export function withoutSecrets(url: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const names = query
    .split('&')
    .map((given) => (plain.test(given) ? given : (given.split('=', 1)[0] ?? '')))
  const known = path.replace(/^\/oauth\/(auth|interaction)\/.*/, '/oauth/$1/…')
  return query === '' ? known : `${known}?${names.join('&')}`
}
