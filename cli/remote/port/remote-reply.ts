import type { IncomingMessage } from 'node:http'
import { plain } from '../../plain.ts'
import type { RemoteAnswer } from './remote-failure.ts'
import type { RemoteReply } from './remote-request.ts'

/** Characters of an answer that is not JSON, in a message. */
const shownText = 200
/** Characters of it that are looked at. */
const readText = 10_000
/** Characters of the words of a repository, in a message. */
const longestWords = 2000
/** Bytes of an answer that are read. */
const largestAnswer = 64 * 1024 * 1024

/** @param secrets header values that are left out of what is read: a server may echo them */
export async function readReply(
  response: IncomingMessage,
  secrets: readonly string[],
): Promise<RemoteReply> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestAnswer) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  const { statusCode: status = 0 } = response
  const tokens = secrets.map((secret) => secret.split(' ').at(-1) ?? '').filter(Boolean)
  const hide = (text: string): string =>
    tokens.reduce((shown, token) => shown.replaceAll(token, '…'), text)
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? hide(value) : value,
    ]),
  )
  const text = hide(Buffer.concat(chunks).toString())
  return { status, headers, text, json: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Headers in which services name a request for their support. */
const requestIds = ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray']

export function toAnswer({ status, headers, json, text }: RemoteReply): RemoteAnswer {
  const id = requestIds.map((name) => headers[name]).find((value) => typeof value === 'string')
  return {
    status,
    message: plain(wordsOf(json) ?? pageWords(text)),
    requestId: typeof id === 'string' ? plain(id) : undefined,
    retryAfter: secondsOf(headers['retry-after']),
  }
}

/** The message of an answer in JSON, with those of its fields. */
export function wordsOf(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { message, error, errors, detail } = json as Readonly<Record<string, unknown>>
  const head = [message, error, detail].find((value) => typeof value === 'string')
  const fields = (Array.isArray(errors) ? errors : []).flatMap((each: unknown) => {
    if (typeof each === 'string') return [each]
    const { field, message: one, messages = [one] } = (each ?? {}) as Record<string, unknown>
    const said = [messages].flat().filter((value) => typeof value === 'string')
    if (said.length === 0) return []
    return [`${typeof field === 'string' ? `${field}: ` : ''}${said.join(' ')}`]
  })
  const all = [...(typeof head === 'string' ? [head] : []), ...fields]
  return all.length === 0 ? undefined : all.join(' ').slice(0, longestWords)
}

/** The words of a page of HTML. */
function pageWords(text: string): string {
  const words = text
    // The patterns take a time that grows with the square of a text that somebody made for that.
    .slice(0, readText)
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return words === '' ? 'nothing' : words.slice(0, shownText)
}

/** A number of seconds, or a date. @see RFC 9110, section 10.2.3 */
function secondsOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const until = Date.parse(value)
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - Date.now()) / 1000))
}
