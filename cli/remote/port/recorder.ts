import { open, type FileHandle } from 'node:fs/promises'
import { advice } from '../../advice.ts'
import { UsageFailure } from '../../failure.ts'
import { reasonOf } from '../../reason.ts'
import type { RemoteReply, RemoteRequest } from './remote-request.ts'

/** Headers of answers that a report needs. Tokens and cookies are in none of them. */
const keptHeaders = ['content-type', 'retry-after', 'x-request-id', 'link', 'location', 'etag']

/** Parameters of addresses, and fields, that give a right to whoever has them. */
const secretNames = /^(?:.*(?:token|secret|signature|credential|key|password|policy).*|sig)$/i

/** Characters of a text in a line. */
const longest = 20_000

/**
 * Writes the traffic with a repository into a file, a line of JSON for each request, so that a
 * report of a fault can become a test. Without tokens, signatures and the bytes of files.
 */
export class Recorder implements AsyncDisposable {
  readonly #file: FileHandle
  #written: Promise<void> = Promise.resolve()

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** @throws {UsageFailure} the file is there already, or cannot be made */
  static async open(path: string): Promise<Recorder> {
    const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
      const lines = { tried: `write ${path}`, said: reasonOf(cause), next: advice.nameOther() }
      throw new UsageFailure(lines, { cause })
    })
    return new Recorder(file)
  }

  async note(request: RemoteRequest, url: URL, reply: RemoteReply): Promise<void> {
    const { method, json, body } = request
    const line = {
      method,
      url: withoutSecrets(url),
      ...(json !== undefined && { sent: hideSecrets(json) }),
      ...(body && { sent: `${body.size} bytes of ${body.type}` }),
      status: reply.status,
      headers: Object.fromEntries(
        keptHeaders.flatMap((name) => {
          const value = reply.headers[name]
          return typeof value === 'string' ? [[name, hideInText(value)]] : []
        }),
      ),
      answer:
        reply.json === undefined
          ? hideInText(reply.text.slice(0, longest))
          : hideSecrets(reply.json),
    }
    this.#written = this.#written.then(() => this.#file.writeFile(`${JSON.stringify(line)}\n`))
    await this.#written
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#written.catch(() => {})
    await this.#file.close()
  }
}

function withoutSecrets(url: URL): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  for (const name of url.searchParams.keys())
    if (secretNames.test(name)) shown.searchParams.set(name, '…')
  return shown.href
}

function hideSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideSecrets)
  if (typeof value === 'string') return hideInText(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]: readonly [string, unknown]) => [
      name,
      // `key` names a file in Zenodo's and InvenioRDM's answers.
      name !== 'key' && typeof each === 'string' && secretNames.test(name)
        ? '…'
        : hideSecrets(each),
    ]),
  )
}

/** Addresses in a text may carry rights. */
function hideInText(text: string): string {
  return text.replaceAll(/https?:\/\/[^\s"'<>]+/g, (address) => {
    const url = URL.parse(address)
    return url === null || (url.search === '' && url.username === '')
      ? address
      : withoutSecrets(url)
  })
}
