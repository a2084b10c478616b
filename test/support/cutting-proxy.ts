import { once } from 'node:events'
import {
  createServer,
  request as ask,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'

/** A request with a body that passed through. */
export interface Passed {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
}

interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Names of the files in a form. */
  readonly names: readonly string[]
}

/** A proxy between the command line and a daemon that cuts connections. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string
  readonly passed: readonly Passed[]
  /** Answers of the daemon, including those that were cut. */
  readonly answered: readonly Answered[]
  /**
   * Cuts the connection of the next request like `PATCH /path` once this many bytes of its body and
   * of its answer have passed, and calls `atCut`.
   */
  readonly cut: (request: RegExp, bytes: number, atCut?: () => void) => void
}

interface Cut {
  readonly request: RegExp
  readonly bytes: number
  readonly atCut: () => void
}

/** @param daemon origin of the daemon behind it */
export async function cuttingProxy(daemon: string): Promise<CuttingProxy> {
  const passed: Passed[] = []
  const answered: Answered[] = []
  let next: Cut | undefined
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming
    passed.push({ method, path, headers })
    const cut = next?.request.test(`${method} ${path}`) ? next : undefined
    if (cut !== undefined) next = undefined
    const body: Buffer[] = []
    if (headers['content-type']?.startsWith('multipart/')) {
      incoming.on('data', (chunk: Buffer) => body.push(chunk))
    }
    forward(new URL(path, daemon), incoming, outgoing, cut).on('response', (response) => {
      answered.push({ method, path, status: response.statusCode ?? 0, names: namesIn(body) })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    answered,
    cut: (request, bytes, atCut = () => {}) => void (next = { request, bytes, atCut }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function namesIn(form: readonly Buffer[]): readonly string[] {
  const text = Buffer.concat(form).toString('latin1')
  return [...text.matchAll(/; filename="([^"]*)"/g)].map(([, name = '']) => name)
}

function forward(
  url: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  cut?: Cut,
): ClientRequest {
  const { method, headers } = incoming
  const upstream = ask(url, { method, headers: { ...headers, host: url.host } })
  let left = cut?.bytes ?? Infinity
  const count = (chunk: Buffer): void => {
    left -= chunk.length
    if (left > 0) return
    left = Infinity
    cut?.atCut()
    upstream.destroy()
    incoming.socket.destroy()
  }
  incoming.on('data', count)
  incoming.on('error', () => upstream.destroy())
  upstream.on('error', () => incoming.socket.destroy())
  upstream.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 500, response.headers)
    response.on('data', count)
    response.on('error', () => outgoing.destroy())
    response.pipe(outgoing)
  })
  incoming.pipe(upstream)
  return upstream
}
