import type { Json } from '../base/json.ts'
import type { DataciteApi, ServiceAnswer } from '../ports/provider.ts'

/** Time for an answer with its body. Milliseconds. */
const answerMs = 30_000

/** Larger answers are no answers of DataCite. Bytes. */
const maxAnswer = 16 * 1024 * 1024

/** The account of a repository at DataCite. */
export interface DataciteAccount {
  /** Base address, such as `https://api.datacite.org`. */
  readonly url: string
  readonly account: string
  /** Read for each request, so that it can be changed while the daemon runs. */
  readonly password: () => Promise<string>
  /** Another text as soon as the password may be another. */
  readonly passwordState?: () => Promise<string>
  /** Named in requests, as DataCite asks for: `deposit/1.0 (https://…)`. */
  readonly userAgent: () => string
}

/** DataCite's REST interface over HTTP. @see https://support.datacite.org/docs/api */
export function dataciteApi(account: DataciteAccount): DataciteApi {
  return {
    read: (doi, signal) => send(account, pathOf(doi), { method: 'GET' }, signal),
    put: (doi, attributes, signal) => {
      const body = JSON.stringify({ data: { id: doi, type: 'dois', attributes } })
      return send(account, pathOf(doi), { method: 'PUT', body }, signal)
    },
    ...(account.passwordState && { credentials: account.passwordState }),
  }
}

/** The account itself, with the prefixes that it has. @throws {Error} there is no answer */
export function readRepository(
  account: DataciteAccount,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  const path = `/repositories/${encodeURIComponent(account.account.toLowerCase())}`
  return send(account, path, { method: 'GET' }, signal)
}

// Without these, publishers and affiliations are answered as bare names.
const pathOf = (doi: string): string => `/dois/${encode(doi)}?publisher=true&affiliation=true`

async function send(
  { url, account, password, userAgent }: DataciteAccount,
  path: string,
  request: RequestInit,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  const credentials = Buffer.from(`${account}:${await password()}`).toString('base64')
  const response = await fetch(url + path, {
    ...request,
    headers: {
      authorization: `Basic ${credentials}`,
      accept: 'application/vnd.api+json',
      'user-agent': userAgent(),
      ...(request.body !== undefined && { 'content-type': 'application/vnd.api+json' }),
    },
    // Another address must not get the password.
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  })
  const waitMs = toMilliseconds(response.headers.get('retry-after'))
  const body = parse(await readText(response))
  return { status: response.status, body, ...(waitMs !== undefined && { waitMs }) }
}

/** The slash of a DOI stays: DataCite's own clients send it so. */
function encode(doi: string): string {
  return doi.split('/').map(encodeURIComponent).join('/')
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? []
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxAnswer) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Seconds, or a date. @see RFC 9110 §10.2.3 */
function toMilliseconds(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
