import type { IndexedDocument } from '../search/indexed-document.ts'
import type { SearchRequest } from '../search/request.ts'
import type { SearchResult } from '../search/results.ts'
import type { Visibility } from '../search/visibility.ts'

export type { IndexedDocument } from '../search/indexed-document.ts'
export type { Bucket, SearchResult } from '../search/results.ts'
export type { Visibility } from '../search/visibility.ts'

/** Reads every document that `visibility` covers from the rows, in any order, each read afresh. */
export type LoadDocuments = (visibility: Visibility) => AsyncIterable<IndexedDocument>

/** Reads documents by their ids, as they are now; those that are gone are left out. */
export type LoadDocumentsById = (
  kind: 'deposits' | 'records',
  ids: readonly string[],
) => Promise<readonly IndexedDocument[]>

/**
 * Finds documents by queries. It is a projection of the rows: it can be rebuilt from them at any
 * time, and a failure here never makes a write fail.
 *
 * A query finds the documents that `core/search/match.ts` says, the same in every adapter; only
 * the scores behind `-_score` are an adapter's own.
 *
 * Only documents that `visibility` covers have any part in an answer, in the ids as in total, facets
 * and order. Even so, a caller loads the rows of the ids and checks again whether each may be read:
 * between answer and reading a row can change hands or be removed.
 */
export interface SearchIndex extends AsyncDisposable {
  /** Set where it changes together with the rows: nobody has to bring it level with them. */
  readonly isOfRows?: true

  /**
   * Makes the document found as it is now; a search that begins after the answer sees it. Called
   * after the commit, in the order of a document's changes. A document whose owners change is
   * removed with the old owners first.
   */
  readonly put: (document: IndexedDocument) => Promise<void>

  /** Makes the document found no more. Doing it twice is not an error. */
  readonly remove: (document: Pick<IndexedDocument, 'kind' | 'id' | 'owners'>) => Promise<void>

  /**
   * One page of the documents that match, with facets counted before the filters of the request
   * and the total after them. Without a query everything visible matches, with one score for all.
   * Equal documents are ordered by id, so pages neither repeat nor leave out.
   *
   * The work grows with what `visibility` covers, never with what else there is.
   */
  readonly search: (request: SearchRequest, visibility: Visibility) => Promise<SearchResult>

  /**
   * Begins what an index does behind the service, such as bringing level what it keeps on disk.
   * Called once the service can be reached: documents show its address.
   */
  readonly start: () => Promise<void>

  /** Rebuilds the index from the rows, now or at the next search. */
  readonly reset: () => Promise<void>

  /** False while an index on disk is made or brought level: till then, searches may be slow. */
  readonly ready: () => Promise<boolean>
}
