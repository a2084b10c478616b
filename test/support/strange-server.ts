import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'

/** A server that answers in any way a test wants. */
export interface StrangeServer extends AsyncDisposable {
  readonly url: string
  /** The requests it got, in order. */
  readonly requests: readonly SeenRequest[]
}

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export async function strangeServer(answer: Answer): Promise<StrangeServer> {
  const requests: SeenRequest[] = []
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path, authorization: headers.authorization })
    void answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Ends `response` with JSON. */
export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
