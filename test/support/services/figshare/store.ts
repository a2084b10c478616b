import { asText, Refusal, type Exchange, type Json, type Stored } from '../exchange.ts'
import type { ServiceOptions } from '../service.ts'

export interface FigshareOptions extends ServiceOptions {
  /** Accounts by their tokens. */
  readonly tokens?: Readonly<Record<string, number>>
  /** Bytes of an account; 20 GB unless given. */
  readonly quota?: number
  /** Bytes of a part; 10 MB unless given. */
  readonly partSize?: number
  /** Looks at a file that is complete until it is checked; 1 unless given. */
  readonly checkLasts?: number
  /** So many files fail their check, with an empty `computed_md5`; none unless given. */
  readonly failedChecks?: number
  /** Milliseconds before a part that comes too short ends by a closed connection; 1,000 unless given. */
  readonly patience?: number
  /** Where files go and come from: the real one has hosts of their own for them. */
  readonly filesAt?: string
  /** Requests until a search finds a change; 1 unless given. */
  readonly lag?: number
}

export interface Part {
  readonly partNo: number
  readonly startOffset: number
  readonly endOffset: number
  content?: Stored
  locked: boolean
}

export interface ArticleFile {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly suppliedMd5: string
  readonly token: string
  readonly parts: readonly Part[]
  status: 'created' | 'ic_checking' | 'available' | 'ic_failure'
  /** Looks that are left until it is checked. */
  left: number
  computedMd5: string
  content?: Stored
}

export interface Article {
  readonly id: number
  readonly owner: number
  readonly created: string
  modified: string
  metadata: Json
  files: readonly ArticleFile[]
  doi?: string
  /** Published states, oldest first. */
  readonly versions: {
    readonly metadata: Json
    readonly files: readonly ArticleFile[]
    readonly at: string
  }[]
  isChanged: boolean
  unindexed: number
}

export const demoToken = 'demo-token'

/** What figshare keeps. */
export class FigshareStore {
  readonly articles: Article[] = []
  readonly settings: Required<Omit<FigshareOptions, 'port' | 'faults'>>
  #id = 1000
  #failedChecks = 0

  constructor(options: FigshareOptions) {
    this.settings = {
      tokens: options.tokens ?? { [demoToken]: 1 },
      quota: options.quota ?? 20e9,
      partSize: options.partSize ?? 10_485_760,
      checkLasts: options.checkLasts ?? 1,
      failedChecks: options.failedChecks ?? 0,
      patience: options.patience ?? 1000,
      lag: options.lag ?? 1,
      filesAt: options.filesAt ?? '',
    }
  }

  nextId(): number {
    this.#id += 1
    return this.#id
  }

  /** Whether the next check of a file fails, whatever its bytes. */
  failsCheck(): boolean {
    this.#failedChecks += 1
    return this.#failedChecks <= this.settings.failedChecks
  }

  /** @throws Refusal 401 without a token that is known */
  account({ headers, query }: Exchange): number {
    const [, token = query.get('access_token') ?? ''] =
      /^(?:token|Bearer) (.+)$/i.exec(headers.authorization ?? '') ?? []
    const account = this.settings.tokens[token]
    if (account === undefined)
      throw failed(401, 'Unauthorized', 'Invalid or missing authorization token')
    return account
  }

  /** @throws Refusal 404 also for those of others */
  own(exchange: Exchange): Article {
    const account = this.account(exchange)
    const id = Number(exchange.parameters['id'])
    const article = this.articles.find((one) => one.id === id && one.owner === account)
    if (!article) throw failed(404, 'EntityNotFound', 'Entity not found: article')
    return article
  }

  create(owner: number, metadata: Json): Article {
    const now = timestamp()
    const article: Article = {
      id: this.nextId(),
      owner,
      created: now,
      modified: now,
      metadata,
      files: [],
      versions: [],
      isChanged: true,
      unindexed: this.settings.lag,
    }
    this.articles.push(article)
    return article
  }

  changed(article: Article): void {
    article.modified = timestamp()
    article.isChanged = true
    article.unindexed = this.settings.lag
  }

  used(owner: number): number {
    const own = this.articles.filter((article) => article.owner === owner)
    return own.flatMap(({ files }) => files).reduce((sum, { size }) => sum + size, 0)
  }

  countRequest(): void {
    for (const article of this.articles) article.unindexed -= 1
  }

  state(): unknown {
    const shown = (files: readonly ArticleFile[]) =>
      files.map(({ content: _, parts, ...file }) => ({
        ...file,
        parts: parts.filter((part) => part.content).length,
      }))
    return this.articles.map(({ files, versions, ...article }) => ({
      ...article,
      files: shown(files),
      versions: versions.map((version) => ({ ...version, files: shown(version.files) })),
    }))
  }
}

export const timestamp = (): string => `${new Date().toISOString().slice(0, 19)}Z`

/** @see https://docs.figshare.com/#figshare_documentation_api_description_errors */
export const failed = (status: number, code: string, message: string, data: Json = {}): Refusal =>
  new Refusal(status, { code, message, data })

/**
 * A page of a list: `page` and `page_size`, or `limit` and `offset`; the first ten by default.
 *
 * @see https://docs.figshare.com/#figshare_documentation_api_description_searching_filtering_and_pagination
 */
export function paged<Item>(
  items: readonly Item[],
  given: (name: string) => unknown,
): readonly Item[] {
  const [page, size, limit, offset] = ['page', 'page_size', 'limit', 'offset'].map((name) => {
    const value = asText(given(name))
    return value === '' ? undefined : Number(value)
  })
  if ((page ?? size) !== undefined && (limit ?? offset) !== undefined) {
    throw failed(422, 'ValidationError', 'Use either page and page_size or limit and offset')
  }
  const count = size ?? limit ?? 10
  const start = offset ?? ((page ?? 1) - 1) * count
  if (start > 1000)
    throw failed(422, 'ValidationError', 'Max page reached. Please narrow down your search')
  return items.slice(start, start + count)
}

export const failure = (status: number): unknown => ({
  code: String(status),
  message: status === 404 ? 'Entity not found' : 'Internal Server Error',
  data: {},
})
