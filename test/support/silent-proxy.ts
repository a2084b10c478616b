import { once } from 'node:events'
import { createServer, request as ask } from 'node:http'

/** A proxy in front of a daemon that falls silent for good. */
export interface SilentProxy extends AsyncDisposable {
  readonly url: string
  /** Requests that came after it fell silent. */
  readonly later: number
}

/**
 * Passes requests on until it has got `bytes` of their bodies. From then on it takes requests and
 * bytes, and answers nothing.
 *
 * @param daemon origin of the daemon behind it
 */
export async function silentProxy(daemon: string, bytes: number): Promise<SilentProxy> {
  let [left, later] = [bytes, 0]
  const server = createServer((incoming, outgoing) => {
    if (left <= 0) {
      later += 1
      incoming.resume()
      return
    }
    const { method, url = '' } = incoming
    // A browser says that it is another site.
    const { 'sec-fetch-site': _, ...headers } = incoming.headers
    const passed = ask(new URL(url, daemon), {
      method,
      headers: { ...headers, host: new URL(daemon).host },
    })
    passed.on('error', () => {})
    passed.on('response', (response) => {
      if (left <= 0) return
      outgoing.writeHead(response.statusCode ?? 0, response.headers)
      response.pipe(outgoing)
    })
    incoming.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left > 0) passed.write(chunk)
    })
    incoming.on('end', () => left > 0 && passed.end())
    outgoing.on('close', () => passed.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    get later() {
      return later
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
