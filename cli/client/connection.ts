import { advice } from '../advice.ts'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { apiVersion } from '../../core/contract/defaults.ts'
import { apiPrefix, routes } from '../../core/contract/routes.ts'
import { Failure, isInterruption } from '../failure.ts'
import { formatBytes } from '../output/units.ts'
import { ApiFailure, NoAnswer } from './api-failure.ts'
import { isDeposit, isMe, isProblem, type Guard, type MeBody } from './bodies.ts'
import { defaultRoutes, type MountedRoutes } from './mounted-routes.ts'
import type { BodyWriter, HttpSender } from './http.ts'
import { RehearsalEnd, requireAllowed, requireScope } from './rehearsal.ts'
import { withRetries, type RetryOptions } from './retry.ts'

/** Where the access token comes from. */
export interface TokenSource {
  /** The token to try first; undefined asks without one. */
  readonly current: () => Promise<string | undefined>
  /** Another one after `refused`; undefined when there is none to be had. */
  readonly renew: (refused: string | undefined) => Promise<string | undefined>
  /** It was given to the command, and wins over a sign-in. */
  readonly isGiven?: true
}

/** For what is open to everybody. */
export const withoutToken: TokenSource = {
  current: async () => undefined,
  renew: async () => undefined,
}

interface ConnectionOptions {
  /** Ends with {@link RehearsalEnd} instead of sending what changes something. */
  readonly isRehearsal?: boolean
  /** Where the deposits are. */
  readonly routes?: MountedRoutes
  /** The name of another endpoint that has this deposit. */
  readonly findElsewhere?: (id: string) => Promise<string | undefined>
  /** Starts the server again, where it is ours and has ended; without it, nothing is sent again. */
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
  readonly link: string
}

/** Most of an answer in JSON that is taken into memory: lists come in pages of 8 MiB. */
const maxAnswerBytes = 64 * 1024 * 1024
/** Most of all pages of a list. */
const maxListBytes = 16 * maxAnswerBytes

/**
 * Requests to one server, with its token and its errors.
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
  #wasReached = false
  /** While the server is lost, after it had answered. */
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

  /** How to repeat what fails for a moment; a lost server is told once, and started where it is ours. */
  patience(isRepeatable: boolean): RetryOptions {
    const beforeRetry = (error: unknown): Promise<void> | undefined =>
      error instanceof NoAnswer ? this.#recover() : undefined
    return { signal: this.signal, isRepeatable, beforeRetry: async (error) => beforeRetry(error) }
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
    // A body that streams is not begun twice: a command asks for something small before it sends.
    const { isGiven } = this.#tokens
    if (response.statusCode !== 401 || request.body)
      return accept(tried, response, request, isGiven)
    const renewed = await this.#tokens.renew(token)
    if (renewed === undefined) return accept(tried, response, request, isGiven)
    response.resume()
    return accept(tried, await this.#attempt(tried, request, renewed), request)
  }

  /** The body of the answer as JSON, checked by `guard`. */
  async json<T>(tried: string, guard: Guard<T>, request: ApiRequest): Promise<T> {
    return this.#check(tried, guard, await this.text(tried, request))
  }

  /**
   * A whole list: an answer that ends early leads on to its rest.
   *
   * @param guard of one page
   */
  async list<T>(tried: string, guard: Guard<T[]>, request: ApiRequest): Promise<T[]> {
    const all: T[] = []
    let next: ApiRequest | undefined = request
    for (let size = 0; next !== undefined;) {
      const { text, link } = await this.#read(tried, next)
      const page = this.#check(tried, guard, text)
      for (const item of page) all.push(item)
      size += text.length
      if (size > maxListBytes) throw tooLong(tried, maxListBytes)
      const path = /<([^>]*)>; rel="?next"?/.exec(link)?.[1]
      next = path === undefined || page.length === 0 ? undefined : { method: 'GET', path }
    }
    return all
  }

  #check<T>(tried: string, guard: Guard<T>, text: string): T {
    const body = parse(text)
    if (guard(body)) return body
    throw new Failure({
      tried,
      said: `${this.server.host} answered something that is not of this service`,
      next: advice.checkUrl(),
    })
  }

  /** The body of the answer as it is. What is safe to ask for again is, where it fails for a moment. */
  async text(tried: string, request: ApiRequest): Promise<string> {
    return (await this.#read(tried, request)).text
  }

  async #read(tried: string, request: ApiRequest): Promise<Read> {
    const isRepeatable = reads(request) || request.headers?.['idempotency-key'] !== undefined
    const once = async (): Promise<Read> => {
      const response = await this.send(tried, request)
      const reading = readText(tried, response).catch((error: unknown) => this.#fail(tried, error))
      return { text: await reading, link: String(response.headers['link'] ?? '') }
    }
    // A body that streams cannot be begun again from here.
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
        ...(sent && { body: sent, isStream: body !== undefined }),
      })
      .then((response) => {
        this.#wasReached = true
        this.#recovery = undefined
        return response
      })
      .catch((error: unknown) => this.#fail(tried, error))
  }

  /** A deposit of another endpoint is not found at this one. */
  async #explainMissing({ path }: ApiRequest, cause: unknown): Promise<never> {
    const isMissing = cause instanceof ApiFailure && cause.problem.code === 'deposit_not_found'
    const id = isMissing ? idIn(path.split('?')[0] ?? '', this.routes.item) : undefined
    const name = id && (await this.#options.findElsewhere?.(id))
    if (!isMissing || !name) throw cause
    const { tried, exitCode } = cause
    const said = `the endpoint ${name} of the server has this deposit`
    throw new Failure({ tried, said, next: advice.useEndpoint(name) }, { cause, exitCode })
  }

  /** Looks at the deposit, and at the file, that would be changed. */
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
   * For a rehearsal: refuses what the token does not allow; answers whose it is.
   *
   * @param path that something would be sent to
   * @throws {ApiFailure} as the server would
   */
  async requireScope(tried: string, path: string): Promise<MeBody> {
    const me = await this.json(tried, isMe, { method: 'GET', path: apiPrefix + routes.me })
    requireScope(tried, { path }, { scopes: me.scopes, isGiven: this.#tokens.isGiven })
    return me
  }

  /** Several requests lose it together: the first one sees to it for all. */
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

/** `path` on `server`, whatever origin it names. */
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
  { path }: ApiRequest,
  isGiven?: true,
): Promise<IncomingMessage> {
  const { statusCode: status = 0, headers } = response
  requireKnownVersion(tried, headers['deposit-api-version'])
  if (status >= 200 && status < 300) return response
  const body = parse(await readText(tried, response).catch(() => ''))
  throw new ApiFailure(tried, isProblem(body) ? body : strangeProblem(status), {
    retryAfter: headers['retry-after'],
    isGiven,
    path,
  })
}

/**
 * Within a version the interface only grows. Of another one we do not know what requests mean.
 *
 * @see Contract §2
 */
function requireKnownVersion(tried: string, version: string | readonly string[] | undefined): void {
  if (version === undefined || version === apiVersion) return
  throw new Failure({
    tried,
    said: `the server speaks version ${version.toString()} of the interface, not ${apiVersion}`,
    next: advice.matchVersion(),
  })
}

/** An error that does not come from the service: a proxy in front of it, say. */
function strangeProblem(status: number) {
  return { status, code: `http_${status}`, message: `The answer was ${status}.`, request_id: '' }
}

/**
 * By its events: of an answer as short as ours, iterating would cost more than all the rest.
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

/** The identifier in the path of a deposit, or of what lies below it. */
function idIn(path: string, item: string): string | undefined {
  const [before = ''] = item.split('{pid_value}')
  const [id] = path.startsWith(before) ? path.slice(before.length).split('/') : []
  return id === '' ? undefined : id
}
