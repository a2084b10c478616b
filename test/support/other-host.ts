import { once } from 'node:events'
import { createServer, request as ask, type IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'

/** Another host of a service: it forwards what it gets, and keeps the headers. */
export interface OtherHost extends AsyncDisposable {
  readonly url: string
  /** Headers of the requests, in their order. */
  readonly got: readonly IncomingHttpHeaders[]
}

/**
 * @param address such as 127.1.0.1
 * @param origin where requests go; it may be set later
 */
export async function otherHost(address: string, origin: () => string): Promise<OtherHost> {
  const got: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request
    got.push(headers)
    const { host: _, ...others } = headers
    const forwarded = ask(new URL(url, origin()), { method, headers: others }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      pipeline(reply, response).catch(() => response.destroy())
    })
    pipeline(request, forwarded).catch(() => response.destroy())
  })
  await once(server.listen(0, address), 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return {
    url: `http://${address}:${port}`,
    got,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
