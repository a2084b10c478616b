import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** An answer in place of DataCite's own. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The answer to one request; undefined for DataCite's own, `cut` for none after it was carried out. */
type Fault = (request: IncomingMessage) => Answer | 'cut' | 'cut before' | undefined

type Attributes = Record<string, unknown> & { state: string }

/** As much of DataCite as its PUT and GET of a DOI. */
export interface SmallDatacite extends AsyncDisposable {
  readonly url: string
  readonly dois: ReadonlyMap<string, Attributes>
  /** Method and path of each request. */
  readonly requests: readonly string[]
  /** Changes what is there, as somebody else would. */
  readonly tamper: (doi: string, change: object) => void
  fault: Fault
}

export async function smallDatacite(): Promise<SmallDatacite> {
  const dois = new Map<string, Attributes>()
  const requests: string[] = []
  const made: { fault: Fault } = { fault: () => undefined }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://datacite')
    requests.push(`${request.method} ${pathname}`)
    const content = request.method === 'PUT' ? await json(request) : undefined
    const fault = made.fault(request)
    if (fault === 'cut before') return void response.destroy()
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
      return
    }
    const doi = decodeURIComponent(pathname.replace('/dois/', '')).toLowerCase()
    const known = dois.get(doi)
    if (request.method === 'GET' && !known) {
      const errors = [{ status: '404', title: 'The resource does not exist.' }]
      send(response, 404, { errors })
      return
    }
    if (request.method === 'PUT') {
      const { event, ...attributes } = (content as Put).data.attributes
      const state = after(known?.state ?? 'draft', event)
      dois.set(doi, { ...known, ...attributes, doi, state })
    }
    if (fault === 'cut') return void response.destroy()
    const data = { id: doi, type: 'dois', attributes: dois.get(doi) }
    send(response, known ? 200 : 201, { data })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(made, {
    url: `http://127.0.0.1:${port}`,
    dois,
    requests,
    tamper: (doi: string, change: object) => {
      dois.set(doi, { ...(dois.get(doi) ?? { state: 'findable' }), ...change })
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

interface Put {
  readonly data: { readonly attributes: { readonly event?: string } & Record<string, unknown> }
}

function after(state: string, event: string | undefined): string {
  if (event === 'publish') return 'findable'
  if (event === 'hide' && state === 'findable') return 'registered'
  if (event === 'register' && state === 'draft') return 'registered'
  return state
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/vnd.api+json' })
  response.end(JSON.stringify(body))
}
