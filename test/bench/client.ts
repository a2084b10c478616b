import { Agent, request } from 'node:http'

/** A client of the service with one kept connection. */
export class Client implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #headers: Readonly<Record<string, string>>

  constructor(token?: string) {
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /** Sends one request. @returns milliseconds until the answer */
  async time(url: string, method: 'GET' | 'POST' = 'GET', json?: object): Promise<number> {
    const body = json && Buffer.from(JSON.stringify(json))
    const started = performance.now()
    await this.#send(method, url, body)
    return performance.now() - started
  }

  /** Sends one request; resolves to the JSON of the body. */
  async json(url: string): Promise<unknown> {
    return JSON.parse(await this.text(url)) as unknown
  }

  /** The same; resolves to the body. */
  text(url: string): Promise<string> {
    return this.#send('GET', url)
  }

  /** Sends the bytes of a file. */
  async put(url: string, body: Buffer): Promise<void> {
    await this.#send('PUT', url, body)
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  /** @throws {Error} the answer is not a success */
  #send(method: string, url: string, body?: Buffer): Promise<string> {
    const type = method === 'POST' && { 'content-type': 'application/json' }
    const headers = { ...this.#headers, ...(body && { 'content-length': body.length, ...type }) }
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, agent: this.#agent, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
        answer.on('end', () => {
          const { statusCode = 0 } = answer
          const text = Buffer.concat(chunks).toString()
          if (statusCode >= 200 && statusCode < 300) resolve(text)
          else reject(new Error(`${method} ${url}: ${statusCode} ${text.slice(0, 500)}`))
        })
      })
      // The server may close an idle connection at the moment it is used again.
      const tryAgain = (): void => void this.#send(method, url, body).then(resolve, reject)
      sent.on('error', (error) => (sent.reusedSocket ? tryAgain() : reject(error)))
      sent.end(body)
    })
  }
}

/** Number of timed requests. */
interface Amount {
  readonly requests: number
  /** No requests are begun after this time, except the first. */
  readonly limitSeconds: number
}

/** Asks for `urls` in turn, one request after another; resolves to the milliseconds of each. */
export async function timeEach(
  client: Client,
  urls: readonly string[],
  { requests, limitSeconds }: Amount,
): Promise<readonly number[]> {
  const times: number[] = []
  const end = performance.now() + limitSeconds * 1000
  do {
    const url = urls[times.length % urls.length] ?? ''
    times.push(await client.time(url))
  } while (times.length < requests && performance.now() < end)
  return times
}

/** Asks for `url` every few milliseconds during `work`; resolves to the milliseconds of each. */
export async function timesWhile(
  client: Client,
  url: string,
  work: () => Promise<unknown>,
): Promise<readonly number[]> {
  let isOver = false
  const working = work().finally(() => (isOver = true))
  const times: number[] = []
  const asking = async (): Promise<void> => {
    while (!isOver) {
      times.push(await client.time(url))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  await Promise.all([working, asking()])
  return times
}
