import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Who has a request about a DOI under way. */
export class Hands {
  readonly failures: string[] = []
  readonly #holders = new Map<string, string>()

  /** @returns gives it back */
  take(doi: string, holder: string): () => void {
    const other = this.#holders.get(doi)
    if (other !== undefined) this.failures.push(`${doi} is in the hands of ${other} and ${holder}`)
    this.#holders.set(doi, holder)
    return () => {
      if (this.#holders.get(doi) === holder) this.#holders.delete(doi)
    }
  }
}

/** DataCite as one daemon reaches it. */
export interface WatchedDatacite extends AsyncDisposable {
  readonly url: string
  /** No request gets through from now on, and no answer comes back. */
  readonly close: () => void
  readonly open: () => void
}

/**
 * Forwards to DataCite what one daemon asks, and notes which DOIs it has in its hands. A request of a
 * daemon that is gone is in nobody's hands, though DataCite may still carry it out.
 *
 * @param daemon its name in failures
 */
export async function watchedDatacite(
  datacite: string,
  hands: Hands,
  daemon: string,
): Promise<WatchedDatacite> {
  let isOpen = true
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    const done = hands.take(url.split('?', 1)[0] ?? '', daemon)
    response.once('close', done)
    const { authorization = '', 'content-type': type } = headers
    const sent = await buffer(request)
    if (!isOpen) throw new Error('DataCite cannot be reached')
    const answer = await fetch(datacite + url, {
      method,
      headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
      ...(method !== 'GET' && { body: sent }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (!isOpen) throw new Error('DataCite cannot be reached')
    const kept = ['content-type', 'retry-after'].flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    done()
    response.writeHead(answer.status, Object.fromEntries(kept)).end(bytes)
  }
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void (isOpen = false),
    open: () => void (isOpen = true),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
