import type { ProblemBody } from '../../../../core/contract/schemas.ts'
import { recoverSession } from './renewal.ts'
import { readSession } from './session.ts'
import type { Json } from './json.ts'
import { text, type TextKey, translated } from '../../text/text.ts'

/** One fault of an input: a JSON pointer and what is wrong there. */
export interface Fault {
  readonly field: string
  readonly message: string
  /** Id of the upload that it is about. */
  readonly upload?: string
}

/** The daemon refused a request, or failed. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly faults: readonly Fault[]
  readonly requestId: string

  constructor(status: number, body: ProblemFields) {
    super(messageOf(body) ?? text('error.unknown', { status }))
    this.status = status
    this.code = body.code ?? 'unknown'
    this.faults = (body.errors ?? []).map(inLanguage)
    this.requestId = body.request_id ?? ''
  }
}

/** Problems whose messages in the interface are for programs. */
const inWords: Readonly<Partial<Record<string, TextKey>>> = {
  deposit_not_found: 'error.deposit_not_found',
  record_not_found: 'error.record_not_found',
  deposit_deleted: 'error.deposit_deleted',
}

/** Messages that say more to programs than to people. */
const plainer: Readonly<Partial<Record<string, TextKey>>> = {
  'Filename already exists.': 'error.file_already_exists',
  'You may not do this to this deposit.': 'error.permission_denied',
}

function messageOf({ code = '', message, errors }: ProblemFields): string | undefined {
  const key = Object.hasOwn(inWords, code) ? inWords[code] : plainer[message ?? '']
  if (key !== undefined) return text(key)
  // What is wrong is said by the fault alone.
  const [fault] = errors ?? []
  if (code === 'invalid_action' && fault) return translated(fault.message)
  return message === undefined ? undefined : translated(message)
}

/** A fault in the language of the page. */
export function inLanguage<Told extends { readonly message: string }>(fault: Told): Told {
  const isOfCreators = fault.message === 'Creators is missing.'
  const message = isOfCreators ? text('fault.missing.creators') : translated(fault.message)
  return { ...fault, message }
}

/** A proxy's own answer has none of them. */
type ProblemFields = Readonly<Partial<ProblemBody>>

/** The daemon cannot be reached; the request may or may not have taken effect. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super(text('error.unreachable'), { cause })
  }
}

/** True of a failure that ends by itself: the service or the network is missing for a while. */
export function passes(error: unknown): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof ApiProblem && (error.status >= 500 || error.status === 429)
}

export interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: Json
  /** Media type of `body`. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** True where the request must outlive the page. */
  readonly keepalive?: boolean
}

/**
 * Asks the daemon with the token of this tab, once more with the next one where it is refused.
 *
 * @throws {ApiProblem} it refused; a 401 has ended the session
 * @throws {Unreachable}
 */
export async function call(url: string, options: Call = {}): Promise<Response> {
  const token = readSession()?.token
  let response = await send(url, options, token)
  if (response.status === 401) {
    const next = await recoverSession(token)
    if (next) response = await send(url, options, next.token)
  }
  if (response.ok) return response
  throw new ApiProblem(response.status, await readProblem(response))
}

function send(url: string, options: Call, token: string | undefined): Promise<Response> {
  const { method = 'GET', body, type = 'application/json', headers, signal, keepalive } = options
  return reach(toPath(url), {
    method,
    headers: {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': type }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(keepalive && { keepalive }),
  })
}

/** The same, for what is answered as JSON. */
export async function callJson<T>(url: string, options?: Call): Promise<T> {
  const response = await call(url, options)
  return (await response.json()) as T
}

/**
 * A whole list: an answer that ends early leads on to its rest.
 *
 * @param onPart told what is there already, each time that more is to come
 */
export async function callList<T>(
  url: string,
  options?: Call,
  onPart?: (part: readonly T[]) => void,
): Promise<readonly T[]> {
  let response = await call(url, options)
  const all = (await response.json()) as T[]
  for (;;) {
    const next = nextOf(response)
    if (next === undefined) return all
    onPart?.([...all])
    response = await call(next)
    for (const item of (await response.json()) as T[]) all.push(item)
  }
}

/** Address of the rest of a list. */
export function nextOf({ headers }: Response): string | undefined {
  return /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
}

async function reach(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options)
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new Unreachable(error)
  }
}

/** A proxy may answer in place of the daemon, and not in JSON. */
async function readProblem(response: Response): Promise<ProblemFields> {
  try {
    return (await response.json()) as ProblemFields
  } catch {
    return {}
  }
}

/** Links are absolute by the daemon's own name; the page may have been reached by another one. */
export function toPath(url: string): string {
  if (url.startsWith('/')) return url
  const { pathname, search } = new URL(url)
  return pathname + search
}
