import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a PostgreSQL that breaks off at a commit. */
export interface CommitCutter extends AsyncDisposable {
  /** The address it was made for, through here. */
  readonly url: string
  /**
   * Breaks the connection that commits next: after the server was told, or before.
   *
   * @param first is done before the server is told
   */
  readonly cutNext: (moment: 'before' | 'after', first?: () => Promise<unknown>) => void
}

/** Passes bytes on to the server at `url`, until it is told to cut. */
export async function commitCutter(url: string): Promise<CommitCutter> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let next: Cut | undefined
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // One side's end is the other's: it is not reported as an error.
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    let isCut = false
    upstream.on('data', (bytes) => (isCut ? client.destroy() : client.write(bytes)))
    client.on('data', (bytes) => {
      const cut = isCommit(bytes) ? next : undefined
      if (cut === undefined) return void upstream.write(bytes)
      next = undefined
      isCut = true
      if (cut.moment === 'before') return void client.destroy()
      cut.first().then(
        () => upstream.write(bytes),
        (error: unknown) => upstream.destroy(error as Error),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  const through = new URL(url)
  through.port = String(address.port)
  return {
    url: through.href,
    cutNext: (moment, first = async () => {}) => void (next = { moment, first }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Cut {
  readonly moment: 'before' | 'after'
  readonly first: () => Promise<unknown>
}

/** A simple query that is `commit` alone. */
function isCommit(bytes: Buffer): boolean {
  return bytes.toString('latin1', 5).toLowerCase() === 'commit\0'
}
