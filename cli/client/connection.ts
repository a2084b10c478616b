import { advice } from '../advice.ts'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { apiVersion } from '../../core/contract/defaults.ts'
import { apiPrefix, routes } from '../../core/contract/routes.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, isInterruption } from '../failure.ts'
import { formatBytes } from '../output/units.ts'
import { plain } from '../plain.ts'
import { ApiFailure, NoAnswer, strangeCode } from './api-failure.ts'
import { isDeposit, isMe, isProblem, type Guard, type MeBody } from './bodies.ts'
import { requireUnmoved } from './moved.ts'
import { defaultRoutes, type MountedRoutes } from './mounted-routes.ts'
import { redirectOf, type BodyWriter, type HttpSender } from './http.ts'
import { RehearsalEnd, requireAllowed, requireScope } from './rehearsal.ts'
import { RetryLine, withRetries, type RetryOptions } from './retry.ts'

/** Source of the access token. */
export interface TokenSource {
  /** The token to try first; undefined asks without one. */
  readonly current: () => Promise<string | undefined>
  /** The next one after `refused`; undefined without one. */
  readonly renew: (refused: string | undefined) => Promise<string | undefined>
  /** It comes from `DEPOSIT_TOKEN`. */
  readonly isGiven?: true
}

/** For public resources. */
export const withoutToken: TokenSource = {
  current: async () => undefined,
  renew: async () => undefined,
}

interface ConnectionOptions {
  /** Throws {@link RehearsalEnd} instead of sending a change. */
  readonly isRehearsal?: boolean
  /** Routes of the endpoint. */
  readonly routes?: MountedRoutes
  /** The name of another endpoint that has this deposit. */
  readonly findElsewhere?: (id: string) => Promise<string | undefined>
  /** Restarts our own local daemon; without it, nothing is sent again. */
  readonly revive?: () => Promise<unknown>
}

export interface ApiRequest {
  readonly method: string
  /** A path on our server; of an absolute URL only its path and query count. */
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly json?: unknown
  readonly body?: BodyWriter
}

/** An answer: its body, and the `Link` header. */
interface Read {
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

/** Limit of one JSON answer; lists come in pages of 8 MiB. */
const maxAnswerBytes = 64 * 1024 * 1024
/** Limit of all pages of a list together. */
const maxListBytes = 16 * maxAnswerBytes

/**
 * Requests to one server, with token and errors.
 *
 * A link of the server's is followed on the server we talk to, so that the token never goes where
 * a link points.
 */
export class Connection {
  readonly server: URL
  readonly routes: MountedRoutes
  readonly #http: HttpSender
  readonly #tokens: TokenSource
  readonly #options: ConnectionOptions
  readonly #line = new RetryLine()
  #wasReached = false
  /** Pending while a lost server is restarted. */
  #recovery: Promise<void> | undefined

  constructor(server: URL, http: HttpSender, tokens: TokenSource, options: ConnectionOptions = {}) {
    this.server = server
    this.routes = options.routes ?? defaultRoutes
    this.#http = http
    this.#tokens = tokens
    this.#options = options
  }

  /** Ends every request. */
  get signal(): AbortSignal {
    return this.#http.signal
  }

  /** The same over connections of its own, which `signal` ends. */
  withSignal(signal: AbortSignal): Disposable & { readonly connection: Connection } {
    const http = this.#http.withSignal(signal)
    const options = { ...this.#options, routes: this.routes }
    const connection = new Connection(this.server, http, this.#tokens, options)
    return { connection, [Symbol.dispose]: () => http[Symbol.dispose]() }
  }

  /** Retry options. Before the first retry, a note is written and our own daemon restarted. */
  patience(isRepeatable: boolean): RetryOptions {
    const beforeRetry = (error: unknown): Promise<void> | undefined =>
      error instanceof NoAnswer ? this.#recover() : undefined
    const { retries } = this.#http.manners
    const { signal } = this
    const shared = { signal, line: this.#line, retries }
    return { ...shared, isRepeatable, beforeRetry: async (error) => beforeRetry(error) }
  }

  /**
   * The answer to a request that succeeded, its body unread.
   *
   * @param tried for the message of a failure: `publish 4f2a…`
   * @throws {ApiFailure} the server answered with an error
   * @throws {Failure} there was no answer
   */
  async send(tried: string, request: ApiRequest): Promise<IncomingMessage> {
    return this.#sendHere(tried, request).catch((error: unknown) =>
      this.#explainMissing(request, error),
    )
  }

  async #sendHere(tried: string, request: ApiRequest): Promise<IncomingMessage> {
    if (this.#options.isRehearsal && !reads(request)) return this.#rehearse(tried, request)
    const token = await this.#tokens.current()
    const response = await this.#attempt(tried, request, token)
    // A streamed body cannot be sent twice, so a command sends a small request first.
    const { isGiven } = this.#tokens
    const { host } = this.server
    if (response.statusCode !== 401 || request.body)
      return accept(tried, response, { ...request, host }, isGiven)
    const renewed = await this.#tokens.renew(token)
    if (renewed === undefined) return accept(tried, response, { ...request, host }, isGiven)
    response.resume()
    return accept(tried, await this.#attempt(tried, request, renewed), { ...request, host })
  }

  /** The body of the answer as JSON, checked by `guard`. */
  async json<T>(tried: string, guard: Guard<T>, request: ApiRequest): Promise<T> {
    return this.#check(tried, guard, await this.text(tried, request))
  }

  /**
   * A whole list: follows `next` links to the last page.
   *
   * @param guard of one page
   */
  async list<T>(tried: string, guard: Guard<T[]>, request: ApiRequest): Promise<T[]> {
    const all: T[] = []
    let next: ApiRequest | undefined = request
    for (let size = 0; next !== undefined;) {
      const { text, headers } = await this.#read(tried, next)
      const page = this.#check(tried, guard, text)
      for (const item of page) all.push(item)
      size += text.length
      if (size > maxListBytes) throw tooLong(tried, maxListBytes)
      const path = /<([^>]*)>; rel="?next"?/.exec(String(headers['link'] ?? ''))?.[1]
      next = path === undefined || page.length === 0 ? undefined : { method: 'GET', path }
    }
    return all
  }

  #check<T>(tried: string, guard: Guard<T>, text: string): T {
    const body = parse(text)
    if (guard(body)) return body
    throw new Failure(
      {
        tried,
        said: `the answer of ${this.server.host} is not that of a deposit service`,
        next: advice.checkUrl(),
      },
      { exitCode: exitCodes.unreachable },
    )
  }

  /** A field of the head of the answer; undefined without it. */
  async header(tried: string, name: string, request: ApiRequest): Promise<string | undefined> {
    const { headers } = await this.#read(tried, request)
    return headers[name]?.toString()
  }

  /** The body of the answer as text. Safe requests are retried. */
  async text(tried: string, request: ApiRequest): Promise<string> {
    return (await this.#read(tried, request)).text
  }

  async #read(tried: string, request: ApiRequest): Promise<Read> {
    const isRepeatable = reads(request) || request.headers?.['idempotency-key'] !== undefined
    const once = async (): Promise<Read> => {
      const response = await this.send(tried, request)
      const reading = readText(tried, response).catch((error: unknown) => this.#fail(tried, error))
      return { text: await reading, headers: response.headers }
    }
    // A streamed body cannot be sent again from here.
    return request.body ? once() : withRetries(this.patience(isRepeatable), once)
  }

  async #attempt(tried: string, request: ApiRequest, token: string | undefined) {
    const { method, path, headers = {}, json, body } = request
    const document = json === undefined ? undefined : Buffer.from(JSON.stringify(json))
    const url = onServer(this.server, path)
    const sent = document === undefined ? body : writeWhole(document)
    return this.#http
      .send({
        method,
        url,
        headers: {
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(document && {
            'content-type': 'application/json',
            'content-length': document.length,
          }),
          ...headers,
        },
        requireAllowed: (_, redirect) => requireUnmoved(tried, this.server, redirect),
        ...(sent && { body: sent, isStream: body !== undefined }),
      })
      .then((response) => {
        const redirect = redirectOf(url, response)
        if (redirect) requireUnmoved(tried, this.server, redirect)
        this.#wasReached = true
        this.#recovery = undefined
        return response
      })
      .catch((error: unknown) => this.#fail(tried, error))
  }

  /** Names the endpoint that has the deposit when this one does not. */
  async #explainMissing({ path }: ApiRequest, cause: unknown): Promise<never> {
    const isMissing = cause instanceof ApiFailure && cause.problem.code === 'deposit_not_found'
    const id = isMissing ? idIn(path.split('?')[0] ?? '', this.routes.item) : undefined
    const name = id && (await this.#options.findElsewhere?.(id))
    if (!isMissing || !name) throw cause
    const { tried, exitCode } = cause
    const said = `the endpoint ${name} of the server has this deposit`
    throw new Failure({ tried, said, next: advice.useEndpoint(name) }, { cause, exitCode })
  }

  /** Reads the deposit and the file that would change. */
  async #rehearse(tried: string, request: ApiRequest): Promise<never> {
    const { item, file } = this.routes
    const path = request.path.split('?')[0] ?? ''
    const id = idIn(path, item)
    if (id !== undefined) {
      const of = { method: 'GET', path: item.replace('{pid_value}', id) }
      const deposit = await this.json(tried, isDeposit, of)
      await this.requireScope(tried, request.path)
      requireAllowed(tried, request, deposit)
      const [before = ''] = file.replace('{pid_value}', id).split('{key}')
      if (path.startsWith(before) && path.length > before.length)
        await this.text(tried, { method: 'GET', path })
    }
    throw new RehearsalEnd(tried)
  }

  /**
   * For a dry run: refuses what the token does not allow; returns its user.
   *
   * @param path that something would be sent to
   * @throws {ApiFailure} as the server would
   */
  async requireScope(tried: string, path: string): Promise<MeBody> {
    const me = await this.json(tried, isMe, { method: 'GET', path: apiPrefix + routes.me })
    requireScope(tried, { path }, { scopes: me.scopes, isGiven: this.#tokens.isGiven })
    return me
  }

  /** Several requests fail together: the first restarts the daemon for all. */
  #recover(): Promise<void> {
    this.#recovery ??= (async () => {
      this.#http.manners.tell(`Lost ${this.server.host}; trying again`)
      await this.#options.revive?.()
    })()
    return this.#recovery
  }

  #fail(tried: string, cause: unknown): never {
    if (cause instanceof Failure || isInterruption(cause)) throw cause
    throw new NoAnswer(tried, this.server, cause, this.#wasReached)
  }
}

function reads({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Resolves `path` on `server` and ignores its origin. */
export function onServer(server: URL, path: string): URL {
  const found = new URL(path, server)
  if (found.origin === server.origin) return found
  const url = new URL(server)
  url.pathname = found.pathname
  url.search = found.search
  return url
}

function writeWhole(bytes: Buffer): BodyWriter {
  return async (request) => void request.end(bytes)
}

async function accept(
  tried: string,
  response: IncomingMessage,
  { path, host }: ApiRequest & { readonly host: string },
  isGiven?: true,
): Promise<IncomingMessage> {
  const { statusCode: status = 0, statusMessage, headers } = response
  requireKnownVersion(tried, headers['deposit-api-version'])
  if (status >= 200 && status < 300) return response
  const body = parse(await readText(tried, response).catch(() => ''))
  throw new ApiFailure(
    tried,
    isProblem(body) ? body : strangeProblem(status, host, statusMessage),
    {
      retryAfter: headers['retry-after'],
      isGiven,
      path,
    },
  )
}

/**
 * Refuses another version of the interface: its requests may mean something else.
 *
 * @see Contract §2
 */
function requireKnownVersion(tried: string, version: string | readonly string[] | undefined): void {
  if (version === undefined || version === apiVersion) return
  throw new Failure({
    tried,
    said: `the server has version ${version.toString()} of the interface, not ${apiVersion}`,
    next: advice.matchVersion(),
  })
}

/** An error that does not come from the service but, for example, from a proxy. */
function strangeProblem(status: number, host: string, words: string | undefined) {
  const said = `${status}${words ? ` ${plain(words)}` : ''}`
  const message = `At ${host}, something else than the deposit service answered ${said}.`
  return { status, code: `${strangeCode}${status}`, message, request_id: '' }
}

/**
 * Reads by events: for answers this short, async iteration would take longer than all the rest.
 *
 * @throws {Failure} it is longer than any answer of the service
 */
function readText(tried: string, response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxAnswerBytes) response.destroy(tooLong(tried))
      else chunks.push(chunk)
    })
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    response.once('error', reject)
  })
}

function tooLong(tried: string, most = maxAnswerBytes): Failure {
  return new Failure({
    tried,
    said: `the answer is longer than ${formatBytes(most)}; the rest was not read`,
    next: advice.checkUrl(),
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The identifier in the path of a deposit, or in a path below it. */
function idIn(path: string, item: string): string | undefined {
  const [before = ''] = item.split('{pid_value}')
  const [id] = path.startsWith(before) ? path.slice(before.length).split('/') : []
  return id === '' ? undefined : id
}
