export type Content = NonNullable<RequestInit['body']>

/** Headers and body of a request. */
export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as `application/json`, unless the headers say otherwise. */
  readonly json?: unknown
  /** Sent unchanged. */
  readonly body?: Content
}

/** An answer with its body read to the end. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The JSON of the body; undefined if it is not JSON. */
  readonly body: unknown
}

/** Sends a request and follows no redirect. */
export async function send(
  method: string,
  url: string,
  { headers = {}, json, body }: Sent = {},
): Promise<Reply> {
  const content = json === undefined ? body : JSON.stringify(json)
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    // A stream is still being sent when the answer may already arrive.
    ...(content !== undefined && { body: content, duplex: 'half' as const }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, body: parse(bytes) }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown
  } catch {
    return undefined
  }
}

/** The body of a reply that must have this status. */
export function bodyOf<Body>(reply: Reply, status: number): Body {
  if (reply.status === status) return reply.body as Body
  throw new Error(`Expected ${status}, got ${reply.status}: ${reply.bytes.toString()}`)
}
