import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy that breaks connections to a server. */
export interface ConnectionCutter extends AsyncDisposable {
  /** Its address: scheme, host and port. */
  readonly url: string
  /** Number of cuts so far. */
  readonly cuts: () => number
  /** Breaks the next connection that passes on this many bytes from now on. */
  readonly cutAfter: (bytes: number) => void
}

/** Passes bytes on to the server at `url` unread, until it is told to cut. */
export async function connectionCutter(url: string): Promise<ConnectionCutter> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let left = Infinity
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const end = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy()
        sockets.delete(socket)
      }
    }
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      // The end of one side ends the other, and is not reported as an error.
      from.on('error', () => {}).on('close', end)
      from.on('data', (bytes: Buffer) => {
        left -= bytes.length
        if (left > 0) return
        left = Infinity
        cuts += 1
        end()
      })
      from.pipe(to)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return {
    url: `http://127.0.0.1:${address.port}`,
    cuts: () => cuts,
    cutAfter: (bytes) => void (left = bytes),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
