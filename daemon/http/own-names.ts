/** What the service is called, and what a page of its own says where it comes from. */
export interface OwnNames {
  /** `host:port` as in `Host`, in lower case. */
  readonly authorities: ReadonlySet<string>
  /** `scheme://host:port` as in `Origin`. */
  readonly origins: ReadonlySet<string>
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
  }
}

/** With and without the port where it is the scheme's own. */
function authoritiesOf({ host, hostname, protocol, port }: URL): readonly string[] {
  return port === '' ? [host, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host]
}
