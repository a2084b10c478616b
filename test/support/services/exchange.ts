import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A request as a service sees it. */
export interface Exchange {
  readonly method: string
  /** Still percent-encoded. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Parameters of the route, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  /** Scheme, host and port as the client wrote them. */
  readonly origin: string
  /** Bytes of the body; they can be read once. */
  readonly body: AsyncIterable<Buffer>
}

export interface Answer {
  /** 200 unless given. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | number>>
  /** Objects and arrays are sent as JSON, text and bytes as they are. */
  readonly body?: unknown
}

export interface Route {
  readonly method: string
  /** `:name` is a segment, `*name` the rest of the path. */
  readonly path: string
  readonly answer: (exchange: Exchange) => Answer | Promise<Answer>
}

/** Ends a request with an answer. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(status: number, body?: unknown, headers: Answer['headers'] = {}) {
    super(`${status} ${JSON.stringify(body)}`)
    this.answer = { status, headers, body }
  }
}

/** Thrown to close the connection without an answer. */
export class Cut extends Error {}

/** Bytes that a service holds: their digest and length, themselves only if they are few. */
export interface Stored {
  readonly size: number
  /** Hexadecimal. */
  readonly md5: string
  readonly bytes?: Buffer
}

/** Up to this many bytes of a file are kept, so that they can be downloaded. */
const kept = 1_000_000

export async function store(body: AsyncIterable<Buffer>): Promise<Stored> {
  const hash = createHash('md5')
  let size = 0
  let chunks: Buffer[] = []
  for await (const chunk of body) {
    hash.update(chunk)
    size += chunk.length
    if (size > kept) chunks = []
    else chunks.push(chunk)
  }
  const md5 = hash.digest('hex')
  return size > kept ? { size, md5 } : { size, md5, bytes: Buffer.concat(chunks) }
}

/** The answer with the bytes of a file, or a part of them that `Range` asks for. */
export function download({ bytes }: Stored, { headers }: Exchange, type: string): Answer {
  if (!bytes) return { status: 501, body: `This server keeps no files over ${kept} bytes.` }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const whole = { 'content-type': type, 'accept-ranges': 'bytes' }
  if (first === undefined) return { headers: whole, body: bytes }
  const end = last ? Math.min(Number(last), bytes.length - 1) : bytes.length - 1
  if (Number(first) > end) {
    return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } }
  }
  const range = { 'content-range': `bytes ${first}-${end}/${bytes.length}` }
  return {
    status: 206,
    headers: { ...whole, ...range },
    body: bytes.subarray(Number(first), end + 1),
  }
}

export async function readText({ body }: Exchange): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `value` if it is an object, otherwise an empty one. */
export const asJson = (value: unknown): Json => (isJson(value) ? value : {})

/** `value` if it is an array; nothing if it is missing, otherwise itself alone. */
export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[]
  return value === undefined || value === null ? [] : [value]
}

export const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
