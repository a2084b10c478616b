import { readFile } from 'node:fs/promises'
import { request, Agent } from 'node:https'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly bytes: Buffer
  /** The bytes as text. */
  readonly body: string
}

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Readable
}

/** A client that trusts one certificate, with a connection of its own for each request. */
export type Ask = (path: string, asked?: Asked) => Promise<Answer>

export async function trustingClient(origin: string, certificate: string): Promise<Ask> {
  const ca = await readFile(certificate)
  return async (path, { method = 'GET', headers = {}, body = '' } = {}) => {
    const agent = new Agent({ ca, keepAlive: false })
    const sent = request(origin + path, { agent, method, headers })
    const answered = new Promise<Answer>((resolve, reject) => {
      sent.on('error', reject).on('response', (response) => {
        const { statusCode: status = 0, headers: found } = response
        buffer(response).then(
          (bytes) => resolve({ status, headers: found, bytes, body: bytes.toString() }),
          reject,
        )
      })
    })
    if (typeof body === 'string') sent.end(body)
    else await pipeline(body, sent)
    return answered
  }
}
