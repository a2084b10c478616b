import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

interface Forwarded {
  readonly status: number
  readonly body: unknown
}

/** Forwards `request` to the daemon at `origin`, as a proxy does. */
export async function forward(origin: string, request: IncomingMessage): Promise<Forwarded> {
  const { method = '', url = '', headers } = request
  const { authorization = '', 'content-type': type = '', 'if-match': match = '' } = headers
  const sent = await text(request)
  const reply = await fetch(origin + url, {
    method,
    headers: {
      authorization,
      ...(type !== '' && { 'content-type': type }),
      ...(match !== '' && { 'if-match': match }),
    },
    ...(method !== 'GET' && { body: sent }),
  })
  return { status: reply.status, body: JSON.parse(await reply.text()) as unknown }
}
