import type {
  Agent,
  AgentOptions,
  ClientRequest,
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestOptions,
} from 'node:http'
import type { LookupFunction, Socket } from 'node:net'

/** Writes a body and ends the request. Called again when the request has to be sent again. */
export type BodyWriter = (request: ClientRequest) => Promise<void>

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers?: OutgoingHttpHeaders
  readonly body?: BodyWriter
  /** The body is streamed: it may wait for its turn at the server. */
  readonly isStream?: boolean
  /** Asked before each redirect is followed; it throws where that may not be. */
  readonly requireAllowed?: (url: URL, redirect: Redirect) => void
}

/** An answer that names another address. */
export interface Redirect {
  readonly from: URL
  readonly to: URL
}

/** A note is written after this long without a byte in either direction. */
const noticeMs = 10_000

/** A request ends after this long without a byte. */
const idleMs = { plain: 60_000, stream: 300_000 } as const

/** Timeouts and messages of a command. */
export interface HttpManners {
  /** Idle timeout of every request, streamed or not. */
  readonly timeoutMs?: number
  /** Further attempts after a temporary failure. */
  readonly retries?: number
  /** Called with the reason when a request takes longer than usual. */
  readonly tell: (line: string) => void
}

/** Those that were told of a silence, until the next answer: many requests may wait for one server. */
const told = new WeakSet<HttpManners>()

/** No byte came for as long as `--timeout` says. */
export class SilentServer extends Error {
  /** @param limit with its unit */
  constructor(limit: string) {
    super(`the server sent nothing for ${limit}`)
    this.name = 'SilentServer'
  }
}

const maxRedirects = 5
/** Headers with tokens, of our service and of repositories of others. */
const credentials = new Set(['authorization', 'x-dataverse-key'])
const redirects = new Set([301, 302, 303, 307, 308])

/** Sends requests over connections that it keeps. */
export class HttpSender implements Disposable {
  /** Ends every request. */
  readonly signal: AbortSignal
  readonly #maxSockets: number
  readonly #agentOptions: AgentOptions
  readonly #protocols = new Map<string, Protocol>()
  readonly #underWay = new Set<ClientRequest>()
  manners: HttpManners = { tell: () => {} }

  /**
   * @param maxSockets requests at once; the connections are kept for the next ones
   * @param lookup finds the addresses of names; by default the system does
   */
  constructor(signal: AbortSignal, maxSockets: number, lookup?: LookupFunction) {
    this.signal = signal
    this.#maxSockets = maxSockets
    // The same timeout as for each request, so that the timer of a connection is set once, not
    // twice a file.
    this.#agentOptions = {
      keepAlive: true,
      maxSockets,
      timeout: noticeMs,
      ...(lookup && { lookup }),
    }
    signal.addEventListener('abort', this.#interrupt)
  }

  /**
   * Resolves with the headers. Follows redirects of GET and HEAD; a redirect to another origin is
   * sent without the token.
   */
  async send(request: HttpRequest, redirected = 0): Promise<IncomingMessage> {
    const response = await this.#sendOnce(request)
    const redirect = redirectOf(request.url, response)
    const isFollowed = request.method === 'GET' || request.method === 'HEAD'
    if (redirect === undefined || !isFollowed) return response
    const { to: target } = redirect
    response.resume()
    request.requireAllowed?.(target, redirect)
    if (redirected === maxRedirects) throw new Error(`more than ${maxRedirects} redirects`)
    return this.send(withUrl(request, target), redirected + 1)
  }

  async #sendOnce({
    method,
    url,
    headers = {},
    body,
    isStream,
  }: HttpRequest): Promise<IncomingMessage> {
    const { ask, agent } = this.#protocolOf(url)
    this.signal.throwIfAborted()
    const { timeoutMs = isStream ? idleMs.stream : idleMs.plain } = this.manners
    const silentMs = Math.min(noticeMs, timeoutMs / 6)
    const request = ask(url, { method, headers, agent, timeout: silentMs })
    this.#underWay.add(request)
    request.on('close', () => this.#underWay.delete(request))
    request.on('timeout', () => this.#beSilent(request, url, { silentMs, timeoutMs }))
    const response = await exchange(request, body)
    told.delete(this.manners)
    return response
  }

  /** Reports a silence once for all requests, and ends the request when it lasts. */
  #beSilent(
    request: ClientRequest,
    { host }: URL,
    { silentMs, timeoutMs }: { readonly silentMs: number; readonly timeoutMs: number },
  ): void {
    const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`
    const [waited, limit] = [inSeconds(silentMs), inSeconds(timeoutMs)]
    if (!told.has(this.manners))
      this.manners.tell(`No answer from ${host} for ${waited}; giving up after ${limit}`)
    told.add(this.manners)
    const { socket } = request
    if (socket === null) return
    // A request emits `timeout` only for the first silence of its socket.
    let seen = bytesOf(socket)
    let waitMs = timeoutMs - silentMs
    const look = (): void => {
      const now = bytesOf(socket)
      if (now === seen) {
        request.destroy(new SilentServer(limit))
        return
      }
      // Bytes arrived since: this silence has lasted for `waitMs` only.
      seen = now
      waitMs = timeoutMs - waitMs
      socket.setTimeout(waitMs)
    }
    socket.setTimeout(waitMs).on('timeout', look)
    request.once('close', () => socket.off('timeout', look))
  }

  /** Another sender with the same manners, ended by `signal`. */
  withSignal(signal: AbortSignal): HttpSender {
    const other = new HttpSender(signal, this.#maxSockets)
    other.manners = this.manners
    return other
  }

  /** One listener for all requests: a signal for each would cost a tenth of its time. */
  readonly #interrupt = (): void => {
    for (const request of this.#underWay) request.destroy(toError(this.signal.reason))
  }

  /**
   * An import of `node:http` would load undici as well, for it evaluates every export: that takes
   * as long as half a dozen of our modules.
   */
  #protocolOf({ protocol }: URL): Protocol {
    const known = this.#protocols.get(protocol)
    if (known !== undefined) return known
    const { request, Agent } =
      protocol === 'https:'
        ? process.getBuiltinModule('node:https')
        : process.getBuiltinModule('node:http')
    const loaded = { ask: request, agent: new Agent(this.#agentOptions) }
    this.#protocols.set(protocol, loaded)
    return loaded
  }

  [Symbol.dispose](): void {
    this.signal.removeEventListener('abort', this.#interrupt)
    for (const { agent } of this.#protocols.values()) agent.destroy()
  }
}

/** The request function and the agent of a protocol. */
interface Protocol {
  readonly ask: (url: URL, options: RequestOptions) => ClientRequest
  readonly agent: Agent
}

/** A server may answer before it has read the body: its answer counts, not the broken pipe. */
function exchange(request: ClientRequest, write?: BodyWriter): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.once('response', (response) => {
      response.once('end', () => request.writableFinished || request.destroy())
      resolve(response)
    })
    if (write === undefined) request.end()
    else write(request).catch((error: unknown) => request.destroy(toError(error)))
  })
}

function bytesOf({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Undefined where an answer is none. @param from the address that was asked */
export function redirectOf(from: URL, response: IncomingMessage): Redirect | undefined {
  const { statusCode = 0, headers } = response
  if (!redirects.has(statusCode)) return undefined
  const to = URL.parse(headers.location ?? '', from.href)
  return to === null ? undefined : { from, to }
}

function withUrl(request: HttpRequest, url: URL): HttpRequest {
  if (url.origin === request.url.origin) return { ...request, url }
  const headers = Object.entries(request.headers ?? {}).filter(
    ([name]) => !credentials.has(name.toLowerCase()),
  )
  return { ...request, url, headers: Object.fromEntries(headers) }
}
