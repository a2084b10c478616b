import type { Exchange } from './exchange.ts'

/** A field of a form; its body must be read before the next one. */
export interface FormPart {
  readonly name: string
  readonly filename?: string
  readonly type?: string
  readonly body: AsyncIterable<Buffer>
}

/** Reads `multipart/form-data` part by part, without keeping the bytes. @see RFC 7578 */
export async function* readForm({ headers, body }: Exchange): AsyncGenerator<FormPart> {
  const [, quoted, plain] =
    /boundary=(?:"([^"]+)"|([^;]+))/.exec(headers['content-type'] ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return
  const source = new Source(body)
  await source.until(Buffer.from(`--${boundary}`)).next()
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  for (;;) {
    const head = await source.text(Buffer.from('\r\n\r\n'))
    if (head === undefined || head.startsWith('--')) return
    const [, name = ''] = /[; ]name="([^"]*)"/i.exec(head) ?? []
    const [, filename] = /filename="([^"]*)"/i.exec(head) ?? []
    const [, type] = /content-type: *([^\r\n]+)/i.exec(head) ?? []
    const content = source.until(delimiter)
    yield {
      name,
      ...(filename !== undefined && { filename: Buffer.from(filename, 'latin1').toString() }),
      ...(type !== undefined && { type }),
      body: content,
    }
    for await (const _ of content) continue
  }
}

export async function textOf(part: FormPart): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of part.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Bytes that are read up to a mark, again and again. */
class Source {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]()
  }

  async text(mark: Buffer): Promise<string | undefined> {
    const chunks: Buffer[] = []
    for await (const chunk of this.until(mark)) chunks.push(chunk)
    return chunks.length === 0 ? undefined : Buffer.concat(chunks).toString('latin1')
  }

  /** The bytes before `mark`, which is left out. */
  async *until(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(mark)
      if (at >= 0) {
        const before = this.#rest.subarray(0, at)
        this.#rest = this.#rest.subarray(at + mark.length)
        yield before
        return
      }
      const safe = Math.max(0, this.#rest.length - mark.length)
      if (safe > 0) {
        yield this.#rest.subarray(0, safe)
        this.#rest = this.#rest.subarray(safe)
      }
      const next = await this.#chunks.next()
      if (next.done) return
      this.#rest = Buffer.concat([this.#rest, next.value])
    }
  }
}
