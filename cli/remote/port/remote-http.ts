import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf } from '../../../core/base/errno.ts'
import type { BodyWriter, HttpSender } from '../../client/http.ts'
import { plain } from '../../plain.ts'
import { reasonOfNoAnswer } from '../../reason.ts'
import { readVersion } from '../../version.ts'
import { LeadsToThisNetwork } from './guarded-lookup.ts'
import type { Recorder } from './recorder.ts'
import type { Download } from './repository.ts'
import { RemoteFailure, type RemoteName } from './remote-failure.ts'
import { readReply, toAnswer } from './remote-reply.ts'
import { objectOf } from './values.ts'
import {
  isOfThisNetwork,
  mayHaveToken,
  type RemoteBody,
  type RemoteReply,
  type RemoteRequest,
} from './remote-request.ts'

/** Before each further attempt, in milliseconds, plus or minus a half. */
const delaysMs = [300, 1000, 3000, 8000, 20_000] as const

/** Longest wait that a repository may ask for. Seconds. */
const longestWait = 900

/** Refused before any effect: any request may be sent again. */
const refusedBefore = new Set([429, 503])
/** A request that may be repeated is sent again. */
const passing = new Set([408, 425, 500, 502, 504])

/** Nothing is there at all. */
const nowhere = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Characters of an address in a message. */
const shownText = 200

export interface RemoteHttpOptions {
  readonly http: HttpSender
  /** As the user named the remote. */
  readonly name: string
  /** The command that gives it another token. */
  readonly renew: string
  /** The variable that its token comes from, if it does. */
  readonly variable?: string | undefined
  /** Of the repository, without a slash at its end. */
  readonly url: string
  /** With the token. */
  readonly headers: Readonly<Record<string, string>>
  /** Further hosts that may have the token: `mayHaveToken`. */
  readonly hosts?: RegExp | undefined
  /** Further attempts; as many as there are delays by default. */
  readonly retries?: number | undefined
  /** Tells a person of a longer wait. */
  readonly tell: (line: string) => void
  readonly recorder?: Recorder | undefined
}

/** Requests to a repository of others: retried where that is safe, and told in its words. */
export class RemoteHttp {
  readonly #options: RemoteHttpOptions
  /** No request is sent before this time, in milliseconds: the repository asked for a pause. */
  #pausedUntil = 0
  #wasReached = false
  /** Beside the token, for a repository that turned out to know them. */
  #known: Readonly<Record<string, string>> = {}
  readonly #agent = `deposit/${readVersion()}`

  constructor(options: RemoteHttpOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  get url(): string {
    return this.#options.url
  }

  /** For failures. */
  get remote(): RemoteName {
    const { name, renew, variable } = this.#options
    return { name, renew, variable, host: this.#host }
  }

  /** Tells a person of a wait. */
  get tell(): (line: string) => void {
    return this.#options.tell
  }

  /** Further attempts after a failure that passes. */
  get retries(): number {
    return this.#options.retries ?? delaysMs.length
  }

  get signal(): AbortSignal {
    return this.#options.http.signal
  }

  /** Sends further headers with each request from now on, where the token is sent. */
  alwaysSend(headers: Readonly<Record<string, string>>): void {
    this.#known = headers
  }

  /** @throws {RemoteFailure} the answer is none of those expected, or none came */
  async ask(request: RemoteRequest): Promise<RemoteReply> {
    return this.#retried(request, () => this.#askOnce(request))
  }

  async #retried<T>(request: RemoteRequest, once: () => Promise<T>): Promise<T> {
    const { retries } = this
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await once()
      } catch (error) {
        if (!(error instanceof RemoteFailure) || attempt >= retries) throw error
        if (!passes(request, error) || this.#isNowhere(error)) throw error
        await this.#pause(error, attempt)
      }
    }
  }

  /** As {@link ask}, for an answer in JSON. */
  async json(request: RemoteRequest): Promise<Readonly<Record<string, unknown>>> {
    const { json } = await this.ask(request)
    return objectOf(json)
  }

  /**
   * The bytes of an answer, from `from` on, or from the first where the service does not do that. They
   * end with a `RemoteFailure` where the connection breaks off.
   */
  async download(request: RemoteRequest, from: number): Promise<Download> {
    const range = from > 0 ? { range: `bytes=${from}-` } : {}
    const headers = { ...request.headers, ...range }
    const asked: RemoteRequest = { ...request, headers, accept: '*/*' }
    return this.#retried(asked, async () => {
      const response = await this.#answered(asked, () => this.#send(asked))
      const status = response.statusCode ?? 0
      if (status < 200 || status >= 300)
        throw this.#failure(asked, await this.#answered(asked, () => this.#read(response)))
      const [, start] = /^bytes (\d+)-/.exec(response.headers['content-range'] ?? '') ?? []
      const bytes = Readable.from(this.#bytesOf(asked, response), { objectMode: false })
      return { bytes, from: status === 206 ? Number(start ?? from) : 0 }
    })
  }

  async *#bytesOf(request: RemoteRequest, response: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      yield* response as AsyncIterable<Buffer>
    } catch (cause) {
      throw this.#noAnswer(request, cause)
    }
  }

  #read(response: IncomingMessage): Promise<RemoteReply> {
    return readReply(response, Object.values(this.#options.headers))
  }

  async #askOnce(request: RemoteRequest): Promise<RemoteReply> {
    const reply = await this.#exchange(request)
    const isFine = reply.status >= 200 && reply.status < 300
    // A page of a proxy with a good status is no answer of the repository.
    const isPage = isFine && reply.json === undefined && /^\s*</.test(reply.text)
    const isBroken = isFine && reply.json === undefined && /^\s*[[{]/.test(reply.text)
    if ((isFine && !isPage && !isBroken) || request.expected?.includes(reply.status)) return reply
    if (!isFine) throw this.#failure(request, reply)
    const said = `${this.#host} answers ${reply.status} with something that is not JSON`
    throw new RemoteFailure(request.tried, this.remote, undefined, { said })
  }

  async #exchange(request: RemoteRequest): Promise<RemoteReply> {
    const reply = await this.#answered(request, async () => this.#read(await this.#send(request)))
    await this.#options.recorder?.note(request, this.#target(request), reply)
    return reply
  }

  /** @throws {RemoteFailure} no answer came, or it broke off */
  async #answered<T>(request: RemoteRequest, send: () => Promise<T>): Promise<T> {
    try {
      const answer = await send()
      this.#wasReached = true
      return answer
    } catch (cause) {
      throw this.#noAnswer(request, cause)
    }
  }

  #noAnswer({ tried }: RemoteRequest, cause: unknown): unknown {
    if (this.signal.aborted || cause instanceof RemoteFailure) return cause
    const said = `no answer from ${this.#host}: ${reasonOfNoAnswer(cause)}`
    return new RemoteFailure(tried, this.remote, undefined, { cause, said })
  }

  async #send(request: RemoteRequest): Promise<IncomingMessage> {
    const { method, json, body, headers } = request
    const { http, hosts, url: own, headers: token } = this.#options
    const waitMs = this.#pausedUntil - Date.now()
    if (waitMs > 0) await wait(waitMs, undefined, { signal: this.signal })
    const text = json === undefined ? undefined : Buffer.from(JSON.stringify(json))
    const size = text?.length ?? body?.size ?? (method === 'GET' ? undefined : 0)
    const write: BodyWriter | undefined = body
      ? writerOf(body)
      : text && (async (sent) => void sent.end(text))
    const url = this.#target(request)
    const requireAllowed = (target: URL): void => this.#requireAllowed(request, target)
    requireAllowed(url)
    const isAnonymous = request.isAnonymous === true || !mayHaveToken(url, new URL(own), hosts)
    const sent = http.send({
      method,
      url,
      headers: {
        accept: request.accept ?? 'application/json',
        'user-agent': this.#agent,
        ...(isAnonymous ? {} : { ...token, ...this.#known }),
        ...(size !== undefined && { 'content-length': size }),
        ...(text && { 'content-type': 'application/json' }),
        ...(body && { 'content-type': body.type }),
        ...headers,
      },
      isStream: body !== undefined,
      requireAllowed,
      ...(write && { body: write }),
    })
    return sent.catch((error: unknown) => {
      if (!(error instanceof LeadsToThisNetwork)) throw error
      throw this.#leadsHere(request.tried, error.hostname)
    })
  }

  /** @throws {RemoteFailure} a repository named something that is no address */
  #target({ tried, path }: RemoteRequest): URL {
    const isBelow = path.startsWith('/')
    const url =
      isBelow || /^https?:/.test(path) ? URL.parse(isBelow ? this.#options.url + path : path) : null
    if (url !== null) return url
    throw this.#misled(
      tried,
      `it names "${plain(path.slice(0, shownText))}", which is no address of the web`,
    )
  }

  /**
   * Answers could lead to what only this machine or its network can reach.
   *
   * @throws {RemoteFailure} the address is of this network, and that of the remote is not
   */
  #requireAllowed({ tried }: RemoteRequest, { host, hostname }: URL): void {
    if (!isOfThisNetwork(hostname) || isOfThisNetwork(new URL(this.#options.url).hostname)) return
    throw this.#leadsHere(tried, host)
  }

  #leadsHere(tried: string, host: string): RemoteFailure {
    return this.#misled(tried, `it leads to ${host}, an address of this network`)
  }

  #misled(tried: string, said: string): RemoteFailure {
    return new RemoteFailure(tried, this.remote, { status: 400, message: said }, { said })
  }

  get #host(): string {
    return new URL(this.#options.url).host
  }

  #failure({ tried }: RemoteRequest, reply: RemoteReply): RemoteFailure {
    const answer = toAnswer(reply)
    return new RemoteFailure(tried, this.remote, answer)
  }

  /** There was never an answer, and nothing accepts connections: most likely its address is wrong. */
  #isNowhere({ cause }: RemoteFailure): boolean {
    return !this.#wasReached && this.#options.retries === undefined && nowhere.has(codeOf(cause))
  }

  async #pause(error: RemoteFailure, attempt: number): Promise<void> {
    const asked = error.answer?.retryAfter
    const delayMs = (delaysMs[Math.min(attempt, delaysMs.length - 1)] ?? 0) * (0.5 + Math.random())
    if (asked !== undefined && asked > 10)
      this.#options.tell(`${this.#host} asks to wait ${asked} s before the next request`)
    if (asked !== undefined) {
      // All requests wait, not this one alone.
      this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + asked * 1000)
      return
    }
    await wait(delayMs, undefined, { signal: this.signal })
  }
}

function passes({ method, isRepeatable = method !== 'POST' }: RemoteRequest, error: RemoteFailure) {
  const { answer } = error
  if (answer === undefined) return isRepeatable
  if ((answer.retryAfter ?? 0) > longestWait) return false
  return refusedBefore.has(answer.status) || (isRepeatable && passing.has(answer.status))
}

function writerOf({ open, bytes: readAll, write, onSent, size }: RemoteBody): BodyWriter {
  if (write) return write
  return async (request) => {
    if (size === 0) {
      request.end()
      return
    }
    if (readAll) {
      const all = await readAll()
      if (all.length !== size) throw new Error('the file has another size than before')
      request.end(all, () => onSent?.(all.length))
      return
    }
    const bytes = await open()
    bytes.on('data', ({ length }: Buffer) => onSent?.(length))
    await pipeline(bytes, request)
  }
}
