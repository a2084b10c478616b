import { isTooLong } from '../../../search/indexed-document.ts'
import type { Kysely } from 'kysely'
import type {
  LoadDocuments,
  LoadDocumentsById,
  SearchIndex,
  SearchResult,
  Visibility,
} from '../../../ports/search-index.ts'
import type { SchemaUrl } from '../../../deposit/document.ts'
import { problem } from '../../../errors/errors.ts'
import { toCondition } from '../../../search/conditions.ts'
import type { SearchRequest } from '../../../search/request.ts'
import { toResult } from '../../../search/results.ts'
import { onlyDocument } from '../../../search/visibility.ts'
import { openPostgres, runSql } from '../../database/open-postgres.ts'
import type { Tables } from '../../database/schema/tables.ts'
import { scanDocuments } from '../scan-documents.ts'
import { searchPostgres } from './postgres-search.ts'
import type { Kind } from './projection.ts'
import { rebuild } from './rebuild.ts'

const kinds: readonly Kind[] = ['deposits', 'records']

/** Connections for searches, beside those for rows. */
const connections = 4

export interface PostgresIndexOptions {
  /** `postgres://…`, of a database that was migrated. */
  readonly url: string
  readonly load: LoadDocuments
  readonly loadById: LoadDocumentsById
  readonly schemaUrl: SchemaUrl
}

/**
 * A search index in PostgreSQL beside the rows, for any number of daemons. It is written in the
 * transactions that change the rows (`projection.ts`), so `put` and `remove` do nothing.
 *
 * A database that was filled by a program without it is indexed once, in the background; until
 * then searches read the rows.
 */
export class PostgresIndex implements SearchIndex {
  readonly #options: PostgresIndexOptions
  readonly #db: Kysely<Tables>
  readonly #closing = new AbortController()
  #isBuilt = false
  #work: Promise<void> = Promise.resolve()

  constructor(options: PostgresIndexOptions) {
    this.#options = options
    this.#db = openPostgres(options.url, { connections, isLookingUp: true })
  }

  readonly isOfRows = true

  readonly put = async (): Promise<void> => {}

  readonly remove = async (): Promise<void> => {}

  readonly search = async (
    request: SearchRequest,
    visibility: Visibility,
  ): Promise<SearchResult> => {
    if (await this.ready()) {
      const { loadById: load, schemaUrl } = this.#options
      return searchPostgres({ db: this.#db, load, schemaUrl }, request, visibility)
    }
    const condition = toCondition(request.query ?? { type: 'all' })
    const only = onlyDocument(visibility)
    const documents = this.#options.load(visibility)
    const scan = await scanDocuments(documents, { condition, only }, request, isTooLong)
    if (!scan) throw problem('overloaded')
    return toResult(scan.hits, request)
  }

  readonly start = (): Promise<void> =>
    this.#inTurn(async () => {
      if (!(await this.ready())) await this.#rebuild()
    })

  /** Indexes all rows in the background: searches are answered as before. */
  readonly reset = (): Promise<void> => this.#inTurn(() => this.#rebuild())

  readonly ready = async (): Promise<boolean> => {
    if (this.#isBuilt) return true
    const built = await runSql(this.#db, { sql: 'SELECT kind FROM search_state', values: [] })
    this.#isBuilt = built.length === kinds.length
    return this.#isBuilt
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#work
    await this.#db.destroy()
  }

  /** One after another; closing waits for it. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }

  async #rebuild(): Promise<void> {
    for (const kind of kinds) await rebuild(this.#db, kind, this.#closing.signal)
  }
}
