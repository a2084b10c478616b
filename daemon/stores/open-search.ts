import { join } from 'node:path'
import { FtsIndex, LargeIndexes, type LargeKind } from '../../core/adapters/search/fts/fts-index.ts'
import { MiniSearchIndex } from '../../core/adapters/search/minisearch/minisearch-index.ts'
import { loadDocuments, loadDocumentsById, parseUserId } from '../../core/index.ts'
import type { Caller, Database, SchemaUrl, SearchIndex, Visibility } from '../../core/index.ts'
import type { ConfigValues } from '../config/keys.ts'
import type { Home } from '../home/home.ts'
import { StartFailure } from '../start-failure.ts'
import type { SearchClass } from '../config/endpoint-options.ts'

interface SearchParts {
  readonly database: Pick<Database, 'read' | 'seal'>
  readonly schemaUrl: SchemaUrl
  readonly report: (error: unknown) => void
  readonly values: ConfigValues
}

/**
 * Opens the search index: in PostgreSQL where the rows are there, else in memory, with files of the
 * home for what is too large for it.
 */
export async function openSearch(home: Home, parts: SearchParts): Promise<SearchIndex> {
  const {
    database: { read },
    schemaUrl,
  } = parts
  const url = home.databaseUrl
  if (url === undefined) return openMemory(home, parts)
  const loadById = loadDocumentsById(read, schemaUrl)
  const { PostgresIndex } = await import('../../core/adapters/search/postgres/postgres-index.ts')
  return new PostgresIndex({ url, load: loadDocuments(read, schemaUrl), loadById, schemaUrl })
}

/** To be called before anything changes the rows: files that are level with them are taken up. */
function openMemory(
  home: Home,
  { database: { read, seal }, schemaUrl, report, values }: SearchParts,
): MiniSearchIndex {
  const load = loadDocuments(read, schemaUrl)
  const large = (of: LargeKind): FtsIndex =>
    new FtsIndex({
      path: join(home.search, `${of}.db`),
      load: () => load({ of }),
      maxDocument: values.DEPOSIT_MAX_BODY,
      seal,
      report,
    })
  const count = async (kind: LargeKind): Promise<number> => {
    if (kind === 'records') return read.records.count()
    const { draft, published } = await read.deposits.countByStatus({ of: 'deposits' })
    return draft + published
  }
  const maxBytes = values.DEPOSIT_SEARCH_MEMORY
  const [deposits, records] = [large('deposits'), large('records')]
  const limit = Math.floor(maxBytes / shareOfOwners)
  const documents = Math.floor(limit / bytesOfDocument)
  const indexes = new LargeIndexes({ deposits, records, count, documents, limit })
  indexes.resume()
  return new MiniSearchIndex({ load, maxBytes, large: indexes })
}

/** Memory of the indexes of single owners, in multiples of that of indexes that span owners. */
const shareOfOwners = 10

/** Bytes of memory that a document of seventy words takes. */
const bytesOfDocument = 7000

/** The user with whom a search class is tried at the start, who owns no deposits. */
const nobody: Caller = {
  user: parseUserId('nobody'),
  admin: false,
  roles: new Set(),
  scopes: new Set(),
}

/**
 * The visibility of an operator's search class, which has to answer one of ours: it is tried at the
 * start, and looked at with each search.
 *
 * @throws {StartFailure} it answers something else
 */
export function checkedVisibility({ visibility }: SearchClass): SearchClass['visibility'] {
  const checked = (caller: Caller): Visibility => {
    const answer: unknown = visibility(caller)
    if (isVisibility(answer)) return answer
    throw new StartFailure(
      'config',
      `search_class.visibility answered ${JSON.stringify(answer)}; ` +
        "it must answer {of: 'owner', user} or {of: 'deposits'}, as depositVisibility does.",
    )
  }
  try {
    checked(nobody)
  } catch (error) {
    // An error of its own may be right: it may know no such user.
    if (error instanceof StartFailure) throw error
  }
  return checked
}

function isVisibility(answer: unknown): answer is Visibility {
  if (typeof answer !== 'object' || answer === null) return false
  const { of, user, only } = answer as Readonly<Record<string, unknown>>
  if (only !== undefined && typeof only !== 'string') return false
  return of === 'deposits' || (of === 'owner' && typeof user === 'string')
}
