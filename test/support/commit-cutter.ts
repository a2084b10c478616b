import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A connection to PostgreSQL that can break at a commit. */
export interface CommitCutter extends AsyncDisposable {
  /** The address of the server, through this proxy. */
  readonly url: string
  /**
   * Breaks the next connection that commits: before the server gets the commit, or after. The
   * workers of a daemon commit too: `first.with` names a text that the transaction has in it.
   */
  readonly cutNext: (moment: 'before' | 'after', first?: First) => void
}

interface First {
  /** Runs before the server gets the commit. */
  readonly run?: () => Promise<unknown>
  readonly with?: string
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
      // The end of one side ends the other, and is not reported as an error.
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    let isCut = false
    let sent: Buffer[] = []
    upstream.on('data', (bytes) => {
      if (!isCut) client.write(bytes)
      else if (bytes.includes('COMMIT\0')) client.destroy()
    })
    client.on('data', (bytes) => {
      const at = bytes.indexOf(commit)
      sent.push(bytes)
      const isMeant = at >= 0 && next !== undefined && Buffer.concat(sent).includes(next.with)
      if (at >= 0) sent = []
      const cut = isMeant ? next : undefined
      if (cut === undefined) return void upstream.write(bytes)
      next = undefined
      // A commit may come in one piece with what goes before it.
      upstream.write(bytes.subarray(0, at))
      if (cut.moment === 'before') return void client.destroy()
      cut.run().then(
        () => {
          isCut = true
          upstream.write(bytes.subarray(at))
        },
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
    cutNext: (moment, first) => {
      next = { moment, run: async () => {}, with: '', ...first }
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Cut extends Required<First> {
  readonly moment: 'before' | 'after'
}

/** A simple query that is `commit` alone, with its length. */
const commit = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1')
