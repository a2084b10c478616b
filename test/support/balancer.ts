import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** Time between two readiness checks of a daemon. Milliseconds. */
const askEvery = 100

/** A load balancer in front of several daemons, like the proxy of an institution. */
export interface Balancer extends AsyncDisposable {
  /** The address for clients: scheme, host and port. */
  readonly origin: string
  /** Adds a daemon to the rotation, which gets requests once it reports that it is ready. */
  readonly add: (daemon: string) => Promise<void>
  readonly remove: (daemon: string) => void
}

export async function balancer(): Promise<Balancer> {
  const behind = new Set<string>()
  const ready = new Set<string>()
  const watching = new AbortController()
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const next = [...ready][turn++ % Math.max(1, ready.size)]
    if (next === undefined) outgoing.writeHead(502).end()
    else forward(new URL(incoming.url ?? '', next), incoming, outgoing)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const look = async (daemon: string): Promise<void> => {
    const isReady = behind.has(daemon) && (await saysReady(daemon))
    if (isReady && behind.has(daemon)) ready.add(daemon)
    else ready.delete(daemon)
  }
  const watched = watch(() => [...behind], look, watching.signal)
  return {
    origin: `http://127.0.0.1:${port}`,
    add: async (daemon) => {
      behind.add(daemon)
      await look(daemon)
    },
    remove: (daemon) => {
      behind.delete(daemon)
      ready.delete(daemon)
    },
    [Symbol.asyncDispose]: async () => {
      watching.abort()
      await watched
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function watch(
  daemons: () => readonly string[],
  look: (daemon: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await Promise.all(daemons().map(look))
    await setTimeout(askEvery, undefined, { signal }).catch(() => {})
  }
}

async function saysReady(daemon: string): Promise<boolean> {
  try {
    return (await fetch(`${daemon}/ready`)).ok
  } catch {
    return false
  }
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
