import type { Kysely } from 'kysely'
import type {
  LoadDocumentsById,
  SearchIndex,
  SearchResult,
  Visibility,
} from '../../../ports/search-index.ts'
import type { SearchRequest } from '../../../search/request.ts'
import { openPostgres } from '../../database/open-postgres.ts'
import type { Tables } from '../../database/schema/tables.ts'
import type { MiniSearchIndex } from '../minisearch/minisearch-index.ts'
import type { Kind } from './projection.ts'
import { runSql } from './run-sql.ts'

export interface FollowingOptions {
  /** `postgres://…`, of a database that was migrated. */
  readonly url: string
  readonly index: MiniSearchIndex
  readonly loadById: LoadDocumentsById
}

interface Change {
  readonly kind: Kind
  readonly ids: readonly string[]
}

/**
 * An index in memory over rows in PostgreSQL that others may change as well: before each search it
 * looks at what was changed since the last one.
 *
 * Transactions become visible in another order than they began in. So all are looked at that could
 * have been under way the last time: what was changed by one of them may be looked at twice.
 */
export class FollowingIndex implements SearchIndex {
  readonly #db: Kysely<Tables>
  readonly #index: MiniSearchIndex
  readonly #loadById: LoadDocumentsById
  /** The oldest transaction that may not have been seen; none before anything was built. */
  #since: string | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor({ url, index, loadById }: FollowingOptions) {
    this.#db = openPostgres(url, { connections: 1 })
    this.#index = index
    this.#loadById = loadById
  }

  readonly start = (): Promise<void> => this.#index.start()
  readonly put: SearchIndex['put'] = (document) => this.#index.put(document)
  readonly remove: SearchIndex['remove'] = (document) => this.#index.remove(document)
  readonly reset = (): Promise<void> => this.#index.reset()
  readonly ready = (): Promise<boolean> => this.#index.ready()

  readonly search = async (
    request: SearchRequest,
    visibility: Visibility,
  ): Promise<SearchResult> => {
    const level = this.#turn.then(() => this.#follow())
    this.#turn = level.catch(() => undefined)
    await level
    return this.#index.search(request, visibility)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn
    await this.#db.destroy()
    await this.#index[Symbol.asyncDispose]()
  }

  async #follow(): Promise<void> {
    const [now] = await runSql<{ readonly oldest: string; readonly changes: readonly Change[] }>(
      this.#db,
      {
        sql:
          'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest, ' +
          "coalesce((SELECT json_agg(json_build_object('kind', kind, 'ids', ids)) FROM " +
          '(SELECT kind, json_agg(id) AS ids FROM search_changes WHERE changed >= ?::xid8 ' +
          "GROUP BY kind) AS each_kind), '[]') AS changes",
        values: [this.#since ?? mostTransactions],
      },
    )
    for (const { kind, ids } of now?.changes ?? []) await this.#refresh(kind, ids)
    this.#since = now?.oldest
  }

  async #refresh(kind: Kind, ids: readonly string[]): Promise<void> {
    const documents = await this.#loadById(kind, ids)
    const byId = new Map(documents.map((document) => [document.id, document]))
    const name = kind === 'records' ? 'record' : 'deposit'
    for (const id of ids) await this.#index.refresh({ kind: name, id }, byId.get(id))
  }
}

/** A number that no transaction ever has: nothing was changed since. */
const mostTransactions = '18446744073709551615'
