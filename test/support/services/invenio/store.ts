import { randomUUID } from 'node:crypto'
import {
  asText,
  Refusal,
  store,
  type Answer,
  type Exchange,
  type Json,
  type Stored,
} from '../exchange.ts'
import type { ServiceOptions } from '../service.ts'

/** A token with its user and scopes. */
export interface Token {
  readonly token: string
  readonly user: number
  readonly scopes?: readonly string[]
}

export interface InvenioOptions extends ServiceOptions {
  readonly tokens?: readonly Token[]
  /** Files of a record; 100 unless given. */
  readonly maxFiles?: number
  /** Bytes of a record; 50 GB unless given. */
  readonly quota?: number
  /** Requests a minute; 100 unless given. */
  readonly limit?: number
  /** So many requests pass before a search finds a change; 1 unless given. */
  readonly lag?: number
}

export const demoToken: Token = { token: 'demo-token', user: 1 }

export interface StoredFile {
  readonly id: string
  readonly versionId: string
  readonly key: string
  readonly created: string
  /** Nothing while its bytes are awaited. */
  readonly content?: Stored
  readonly isCommitted: boolean
  /** Where it is sent in parts: how many, how long each but the last is, and what has arrived. */
  readonly parts?: {
    readonly count: number
    readonly size: number
    readonly received: Map<number, Stored>
  }
}

/** One state of a record: that of its draft, or the published one. */
export interface Version {
  readonly document: Json
  readonly files: Map<string, StoredFile>
}

/** A version of a work, with its draft, its published state, or both. */
export interface Item {
  readonly id: string
  readonly concept: string
  /** From 1. */
  readonly index: number
  readonly owner: number
  readonly bucket: string
  readonly created: string
  updated: string
  revision: number
  draft?: Version
  published?: Version
}

/** What InvenioRDM keeps, and Zenodo on it. */
export class InvenioStore {
  readonly items = new Map<string, Item>()
  readonly #options: Required<
    Pick<InvenioOptions, 'maxFiles' | 'quota' | 'limit' | 'lag' | 'tokens'>
  >
  readonly #changes: { due: number; readonly ids: readonly string[] }[] = []
  #indexed: readonly string[] = []
  #next = 1000
  readonly #name: (number: number) => string
  #window = { since: Date.now(), count: 0 }

  /** @param name makes identifiers of numbers */
  constructor(options: InvenioOptions, name: (number: number) => string = String) {
    this.#name = name
    const { maxFiles = 100, quota = 50e9, limit = 100, lag = 1, tokens = [demoToken] } = options
    this.#options = { maxFiles, quota, limit, lag, tokens }
  }

  /** Counts a request. @returns headers of its answer, or the refusal of one too many */
  count(): Answer['headers'] | Refusal {
    for (const change of this.#changes) change.due -= 1
    while ((this.#changes[0]?.due ?? 1) < 0) this.#indexed = this.#changes.shift()?.ids ?? []
    const now = Date.now()
    if (now - this.#window.since > 60_000) this.#window = { since: now, count: 0 }
    this.#window.count += 1
    const { limit } = this.#options
    const reset = Math.ceil((this.#window.since + 60_000) / 1000)
    const headers = {
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': Math.max(0, limit - this.#window.count),
      'x-ratelimit-reset': reset,
    }
    if (this.#window.count <= limit) return headers
    const wait = Math.max(1, reset - Math.floor(now / 1000))
    return new Refusal(429, failure(429), { ...headers, 'retry-after': wait })
  }

  /** Nothing for a request without a token. @throws Refusal 401 for a wrong one */
  caller({ headers, query }: Exchange): Token | undefined {
    const [, bearer] = /^Bearer[: ]\s*(.+)$/i.exec(headers.authorization ?? '') ?? []
    const token = bearer ?? query.get('access_token') ?? undefined
    if (token === undefined) return undefined
    const found = this.#options.tokens.find((known) => known.token === token)
    if (!found) throw refused(401)
    return found
  }

  /** @throws Refusal 403 without a token or its scope */
  require(exchange: Exchange, scope: string, anonymous = 403): Token {
    const caller = this.caller(exchange)
    if (!caller) throw refused(anonymous)
    if (!(caller.scopes ?? [scope]).includes(scope)) throw refused(403)
    return caller
  }

  create(owner: number, document: Json, before?: Item): Item {
    const concept = before?.concept ?? this.#name((this.#next += 1))
    const id = this.#name((this.#next += 1))
    const now = timestamp()
    const versions = [...this.items.values()].filter((other) => other.concept === concept)
    const item: Item = {
      id,
      concept,
      index: versions.length + 1,
      owner,
      bucket: randomUUID(),
      created: now,
      updated: now,
      revision: 1,
      draft: { document, files: new Map() },
    }
    this.items.set(id, item)
    this.changed(item)
    return item
  }

  changed(item: Item): void {
    item.updated = timestamp()
    item.revision += 1
    this.#changes.push({ due: this.#options.lag, ids: [...this.items.keys()] })
  }

  /** Items, of `owner` or all, that a search finds, newest first. */
  search(owner: number | undefined, query: string): readonly Item[] {
    return this.#indexed
      .flatMap((id) => this.items.get(id) ?? [])
      .filter((item) => (owner ?? item.owner) === item.owner && answers(item, query))
      .reverse()
  }

  latest({ concept }: Item): Item | undefined {
    const versions = [...this.items.values()].filter((item) => item.concept === concept)
    return versions.findLast(({ published }) => published)
  }

  /** @throws Refusal 400 for a file too many or a name that is too long */
  initFile({ draft }: Item, key: string): StoredFile {
    if (key.length > 255)
      throw invalid([{ field: 'key', messages: ['Longer than maximum length 255.'] }])
    const count = (draft?.files.size ?? 0) + 1
    const { maxFiles } = this.#options
    if (count > maxFiles) {
      const message = `Uploading the selected files would result in ${count} files (max is ${maxFiles}).`
      throw new Refusal(400, { status: 400, message })
    }
    const now = timestamp()
    return { id: randomUUID(), versionId: randomUUID(), key, created: now, isCommitted: false }
  }

  /** @throws Refusal 400 where the record would be too large, before the bytes are read if that is known */
  async receive(
    item: Item,
    key: string,
    body: AsyncIterable<Buffer>,
    length?: string,
  ): Promise<Stored> {
    const others = [...(item.draft?.files.values() ?? [])].filter((file) => file.key !== key)
    const used = others.reduce((sum, { content }) => sum + (content?.size ?? 0), 0)
    const message = 'Bucket quota exceeded.'
    const tooLarge = new Refusal(400, { status: 400, message })
    if (used + Number(length ?? 0) > this.#options.quota) throw tooLarge
    const content = await store(body)
    if (used + content.size > this.#options.quota) throw tooLarge
    return content
  }

  state(): unknown {
    const files = (version?: Version) =>
      version && {
        document: version.document,
        files: [...version.files.values()].map(({ key, content, isCommitted }) => ({
          key,
          size: content?.size,
          md5: content?.md5,
          isCommitted,
        })),
      }
    return [...this.items.values()].map(({ draft, published, ...item }) => ({
      ...item,
      draft: files(draft),
      published: files(published),
    }))
  }
}

/**
 * Every word of the query must be in the record. Words with a colon or slash that stand outside of
 * quotes are syntax of the search engine, and find nothing.
 */
function answers({ draft, published, ...item }: Item, query: string): boolean {
  const text = JSON.stringify([
    item.id,
    item.concept,
    draft?.document,
    published?.document,
  ]).toLowerCase()
  const terms = query.match(/(?:[\w.\\]+:)?"[^"]*"|\S+/g) ?? []
  return terms.every((term) => {
    const [, field, phrase] = /^(?:([\w.\\]+):)?"([^"]*)"$/.exec(term) ?? []
    if (phrase !== undefined) return text.includes(phrase.toLowerCase())
    const [name, ...value] = term.split(':')
    const word = field === undefined && value.length === 1 ? asText(value[0]) : asText(name)
    return value.length <= 1 && !term.includes('/') && text.includes(word.toLowerCase())
  })
}

const messages: Readonly<Record<number, string>> = {
  401: "The server could not verify that you are authorized to access the URL requested. You either supplied the wrong credentials (e.g. a bad password), or your browser doesn't understand how to supply the credentials required.",
  403: 'Permission denied.',
  404: 'The persistent identifier does not exist.',
  405: 'The method is not allowed for the requested URL.',
  415: "Invalid 'Content-Type' header. Expected one of: application/json",
  429: 'Rate limit exceeded.',
}

export const failure = (status: number): unknown => ({
  status,
  message: messages[status] ?? 'The server encountered an internal error.',
})

export const refused = (status: number, message?: string): Refusal =>
  new Refusal(status, message === undefined ? failure(status) : { status, message })

export interface FieldFault {
  readonly field: string
  readonly messages: readonly string[]
}

export const invalid = (errors: readonly FieldFault[]): Refusal =>
  new Refusal(400, { status: 400, message: 'A validation error occurred.', errors })

export const timestamp = (): string => new Date().toISOString().replace('Z', '000+00:00')
