import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as after } from 'node:timers/promises'
import { Cut, Refusal, type Answer, type Exchange, type Route } from './exchange.ts'
import { FaultPlan, type FaultKind, type Faults } from './faults.ts'

/** What stands for a service of others in a test: a real server with its state in memory. */
export interface FakeService extends AsyncDisposable {
  readonly url: string
  /** The requests it got, in order. */
  readonly requests: readonly LoggedRequest[]
  /** How requests go wrong from now on; all go well without an argument. */
  readonly misbehave: (faults?: Faults) => void
  /** What it holds, as plain JSON. */
  readonly state: () => unknown
}

export interface LoggedRequest {
  readonly method: string
  /** With its query; tokens are left out. */
  readonly path: string
  /** Of credentials only the scheme is kept. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of the body that arrived. */
  received: number
  /** Hexadecimal, of a body that arrived whole. */
  md5?: string
  fault?: FaultKind
  /** Of the answer; nothing if the connection ended before. */
  status?: number
}

export interface ServiceOptions {
  /** Any free one unless given. */
  readonly port?: number
  readonly faults?: Faults
}

/** What the server of a service is made of. */
export interface Service {
  readonly routes: readonly Route[]
  /** Runs before every route, for the order of checks and for headers of all answers. */
  readonly before?: (exchange: Exchange) => Answer['headers'] | Refusal | undefined
  /** The answer to an address that no route has; `allowed` are other methods that it has. */
  readonly unknown: (exchange: Exchange, allowed: readonly string[]) => Answer
  /** An error in the service's own form. */
  readonly failure: (status: number) => unknown
  /** Headers that every answer of the service has. */
  readonly headers?: () => Readonly<Record<string, string>>
  readonly state: () => unknown
}

const secretHeaders = ['authorization', 'x-dataverse-key', 'cookie', 'x-api-key']
const secretParameters = /([?&](?:access_token|key|token)=)[^&]*/g
const page = `<html>\r\n<head><title>STATUS</title></head>\r\n<body>\r\n<center><h1>STATUS</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`

/**
 * Starts a service. Beside its own addresses it has `GET /-/state`, `GET /-/requests` and
 * `PUT /-/faults`, for tests that run it as a process.
 */
export async function startService(
  service: Service,
  { port = 0, faults }: ServiceOptions = {},
): Promise<FakeService> {
  const requests: LoggedRequest[] = []
  let plan = new FaultPlan(faults)
  const server = createServer((request, response) => {
    void serve(request, response)
  })
  const orders: Readonly<Record<string, (body: string) => unknown>> = {
    'GET /-/state': () => service.state(),
    'GET /-/requests': () => requests,
    'PUT /-/faults': (body) => void (plan = new FaultPlan(JSON.parse(body || '{}') as Faults)),
  }
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    const order = orders[`${method} ${url}`]
    if (order) {
      response.end(JSON.stringify(order(await text(request)) ?? null))
      return
    }
    // A request whose body is not read to its end loses its socket.
    const { socket } = request
    const logged = logRequest(request)
    requests.push(logged)
    await answerRequest(service, plan, logged, request, response).catch((error: unknown) => {
      if (!(error instanceof Cut) && request.complete) process.stderr.write(`${String(error)}\n`)
      socket.destroy()
    })
  }
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${bound}`,
    requests,
    misbehave: (wanted) => void (plan = new FaultPlan(wanted)),
    state: service.state,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function logRequest({ method = '', url = '', headers }: IncomingMessage): LoggedRequest {
  const kept = Object.entries(headers).map(([name, value]) => {
    const text = String(value)
    if (!secretHeaders.includes(name)) return [name, text] as const
    return [name, /^(\w+)[ :]/.exec(text)?.[1] ?? '…'] as const
  })
  return {
    method,
    path: url.replaceAll(secretParameters, '$1…'),
    headers: Object.fromEntries(kept),
    received: 0,
  }
}

async function answerRequest(
  service: Service,
  plan: FaultPlan,
  logged: LoggedRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault = plan.choose(`${logged.method} ${request.url ?? ''}`)
  if (fault !== undefined) logged.fault = fault
  const body = readBody(request, logged, plan)
  const isBare = Number(request.headers['content-length'] ?? 0) === 0
  // Some routes do not read a body.
  if (fault === 'cutRequest' && isBare) throw new Cut()
  let answer = failedAtOnce(service, plan, fault)
  if (fault === 'slow') await after(plan.delay)
  answer ??= await answerOf(service, exchangeOf(request, body))
  if (fault === 'lostAnswer') throw new Cut()
  if (fault === 'gatewayTimeout') answer = pageOf('504 Gateway Time-out')
  if (fault === 'page') answer = { ...pageOf('Please wait'), status: answer.status ?? 200 }
  const { status = 200, headers = {} } = answer
  const bytes = bytesOf(answer.body)
  const type = typeof answer.body === 'object' ? 'application/json' : 'text/plain; charset=utf-8'
  const sent = fault === 'brokenJson' ? bytes.subarray(0, bytes.length / 2) : bytes
  const length: Record<string, number> = status === 204 ? {} : { 'content-length': sent.length }
  response.writeHead(status, {
    ...(bytes.length > 0 && { 'content-type': type }),
    ...length,
    ...service.headers?.(),
    ...headers,
  })
  if (fault === 'cutAnswer') {
    await new Promise<void>((done) => {
      response.write(sent.subarray(0, Math.max(1, sent.length / 2)), () => done())
    })
    throw new Cut()
  }
  logged.status = status
  response.end(request.method === 'HEAD' ? undefined : sent)
  // A body that nobody wanted still arrives, as behind the proxies of these services.
  for await (const _ of body) continue
}

function failedAtOnce(
  { failure }: Service,
  plan: FaultPlan,
  fault?: FaultKind,
): Answer | undefined {
  if (fault === 'html') return pageOf('502 Bad Gateway')
  if (fault === 'tooMany') {
    return { status: 429, headers: { 'retry-after': plan.retryAfter }, body: failure(429) }
  }
  if (fault !== 'error') return undefined
  const status = plan.errorStatus()
  return { status, body: failure(status) }
}

const pageOf = (status: string): Answer => ({
  status: Number.parseInt(status),
  headers: { 'content-type': 'text/html' },
  body: page.replaceAll('STATUS', status),
})

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  if (body === undefined) return Buffer.alloc(0)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Reads the body once, however often it is iterated, and cuts or slows it down. */
function readBody(
  request: IncomingMessage,
  logged: LoggedRequest,
  { rate }: FaultPlan,
): AsyncIterable<Buffer> {
  const hash: Hash = createHash('md5')
  const half = Number(request.headers['content-length'] ?? 0) / 2
  async function* read(): AsyncGenerator<Buffer> {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      logged.received += chunk.length
      hash.update(chunk)
      if (logged.fault === 'cutRequest' && logged.received >= half) throw new Cut()
      if (logged.fault === 'throttle') await after((1000 * chunk.length) / rate)
      yield chunk
    }
    logged.md5 = hash.digest('hex')
  }
  const reading = read()
  return { [Symbol.asyncIterator]: () => ({ next: () => reading.next() }) }
}

function exchangeOf(request: IncomingMessage, body: AsyncIterable<Buffer>): Exchange {
  const { method = '', headers } = request
  const origin = `http://${headers.host ?? 'localhost'}`
  const { pathname, searchParams } = new URL(request.url ?? '', origin)
  return { method, path: pathname, query: searchParams, headers, parameters: {}, origin, body }
}

async function answerOf(service: Service, exchange: Exchange): Promise<Answer> {
  try {
    const added = service.before?.(exchange)
    if (added instanceof Refusal) return added.answer
    const found = service.routes
      .map((route) => ({ route, parameters: matched(route.path, exchange.path) }))
      .filter(({ parameters }) => parameters !== undefined)
    const asked = exchange.method === 'HEAD' ? 'GET' : exchange.method
    const here = found.find(({ route }) => route.method === asked)
    const { status, headers, body } = here
      ? await here.route.answer({ ...exchange, parameters: here.parameters ?? {} })
      : service.unknown(
          exchange,
          found.map(({ route }) => route.method),
        )
    return { status: status ?? 200, headers: { ...added, ...headers }, body }
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

function matched(pattern: string, path: string): Record<string, string> | undefined {
  const source = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')
    .replaceAll(/\*(\w+)/g, '(?<$1>.+)')
  const groups = new RegExp(`^${source}/?$`).exec(path)?.groups
  if (!groups && !new RegExp(`^${source}/?$`).test(path)) return undefined
  return Object.fromEntries(
    Object.entries(groups ?? {}).map(([name, value]) => [name, decoded(value)]),
  )
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
