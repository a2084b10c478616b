import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { demoRepository, startDataCite } from './services/datacite/datacite.ts'
import type { Doi } from './services/datacite/doi.ts'

/** An answer in place of DataCite's own. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** `cut`: what is asked is done, and not answered; `cut before`: it is not done either. */
type Instead = Answer | 'cut' | 'cut before' | undefined

/** A promise keeps the request waiting. */
type Fault = (request: IncomingMessage) => Instead | Promise<Instead>

/** DataCite behind a proxy that gives answers of its own where a test wants them. */
export interface ScriptedDatacite extends AsyncDisposable {
  readonly url: string
  /** What is there, by DOI. */
  readonly dois: () => Readonly<Record<string, Doi>>
  /** Method and path of each request, without those of the test. */
  readonly requests: readonly string[]
  /** Changes a DOI as somebody else would, who has the account too. */
  readonly change: (doi: string, attributes: object) => Promise<void>
  /** Undefined for DataCite's own answer. */
  fault: Fault
}

export const { id: account, password } = demoRepository

const credentials = `Basic ${Buffer.from(`${account}:${password}`).toString('base64')}`

export async function scriptedDatacite(): Promise<ScriptedDatacite> {
  await using stack = new AsyncDisposableStack()
  const datacite = stack.use(await startDataCite({ limit: 1_000_000 }))
  const requests: string[] = []
  const made: { fault: Fault } = { fault: () => undefined }
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${new URL(request.url ?? '', datacite.url).pathname}`)
    Promise.try(made.fault, request)
      .then((fault) => answer(datacite.url, fault, request, response))
      .catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const owned = stack.move()
  return Object.assign(made, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dois: () => datacite.state() as Readonly<Record<string, Doi>>,
    requests,
    change: async (doi: string, attributes: object) => {
      const { ok, status } = await fetch(`${datacite.url}/dois/${doi}`, {
        method: 'PUT',
        headers: { authorization: credentials, 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type: 'dois', attributes } }),
      })
      if (!ok) throw new Error(`DataCite answers ${status}`)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  })
}

async function answer(
  url: string,
  fault: Instead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await text(request)
  if (fault === 'cut before') {
    response.destroy()
    return
  }
  if (typeof fault === 'object') {
    response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
    return
  }
  const { authorization = '', 'content-type': type = 'application/json' } = request.headers
  const reply = await fetch(url + (request.url ?? ''), {
    method: request.method ?? 'GET',
    headers: { authorization, 'content-type': type },
    ...(body !== '' && { body }),
  })
  const said = await reply.text()
  if (fault === 'cut') response.destroy()
  else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(said)
}
