import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands in front of several daemons, as a proxy of an institution does. */
export interface Balancer extends AsyncDisposable {
  /** What clients see: scheme, host and port. */
  readonly origin: string
  /** Origins of the daemons; each request goes to the next one of them. */
  behind: readonly string[]
}

export async function balancer(): Promise<Balancer> {
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const { behind } = owned
    forward(new URL(incoming.url ?? '', behind[turn++ % behind.length]), incoming, outgoing)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const owned: Balancer = {
    origin: `http://127.0.0.1:${port}`,
    behind: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return owned
}

function forward(url: URL, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming
  const forwarded = ask(url, { method, headers, agent: false }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
    response.pipe(outgoing)
  })
  forwarded.on('error', () => {
    if (!outgoing.headersSent) outgoing.writeHead(502)
    outgoing.end()
  })
  incoming.pipe(forwarded)
}
