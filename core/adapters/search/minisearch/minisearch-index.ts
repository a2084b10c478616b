import { isTooLong } from '../../../search/indexed-document.ts'
import type {
  IndexedDocument,
  LoadDocuments,
  SearchIndex,
  SearchResult,
  Visibility,
} from '../../../ports/search-index.ts'
import { problem } from '../../../errors/errors.ts'
import { toCondition, type Condition } from '../../../search/conditions.ts'
import type { SearchRequest } from '../../../search/request.ts'
import { toHit, toResult } from '../../../search/results.ts'
import { onlyDocument } from '../../../search/visibility.ts'
import { scanDocuments } from '../scan-documents.ts'
import type { DocumentIndex } from './document-index.ts'
import type { FtsIndex, LargeIndexes } from '../fts/fts-index.ts'
import { LazyIndex } from './lazy-index.ts'

export interface MiniSearchOptions {
  readonly load: LoadDocuments
  /** Bytes of memory over all indexes, estimated; the least recently used index is dropped first. */
  readonly maxBytes?: number
  /** Indexes on disk, for what is too much for memory. */
  readonly large?: LargeIndexes
}

const MiB = 1024 * 1024
const defaultMaxBytes = 128 * MiB

/** Bytes of one index: more of it is searched as fast on disk. */
const mostOfIndex = 16 * MiB

/** For how long a search waits for the index on disk. Milliseconds. */
const longestWait = 30_000

/**
 * A search index in memory: a small one for each owner, one for all deposits and one for the
 * records, each built from the rows when it is first asked and kept level afterwards. Ownership is
 * the index itself, so a search costs nothing for other people's deposits.
 *
 * Documents that are too many for memory are searched in an index on disk, and in the rows until that
 * one is built: slowly, but in bounded memory, and with the same results, without scores. If a document
 * is too long for that, the search waits for the index on disk, and is refused (503) if it is not
 * ready in time.
 */
export class MiniSearchIndex implements SearchIndex {
  readonly #load: LoadDocuments
  readonly #maxBytes: number
  readonly #large: LargeIndexes | undefined
  /** In the order of their last use. */
  readonly #indexes = new Map<string, LazyIndex>()
  #size = 0

  constructor({ load, maxBytes = defaultMaxBytes, large }: MiniSearchOptions) {
    this.#load = load
    this.#maxBytes = maxBytes
    this.#large = large
  }

  readonly start = async (): Promise<void> => {
    await this.#large?.start()
  }

  readonly put = async (document: IndexedDocument): Promise<void> => {
    const large = this.#large?.put(document)
    this.#change(document, (index) => index.put(document))
    await large
  }

  readonly remove = async (document: DocumentName): Promise<void> => {
    const large = this.#large?.remove(document)
    this.#change(document, (index) => index.remove(document.id))
    await large
  }

  readonly search = async (
    request: SearchRequest,
    visibility: Visibility,
  ): Promise<SearchResult> => {
    const key = keyOf(visibility)
    const large = this.#large?.of(visibility)
    if (large?.isLevel && visibility.of !== 'owner') {
      this.#drop(key)
      return this.#searchLarge(large, request, visibility)
    }
    const index = await this.#open(key, visibility).open()
    if (index && !index.isTooMuchFor(conditionOf(request))) {
      return searchMemory(index, request, visibility)
    }
    if (large?.isLevel) return this.#searchLarge(large, request, visibility)
    large?.begin()
    return this.#searchRows(request, visibility)
  }

  readonly reset = async (): Promise<void> => {
    this.#forget()
    await this.#large?.reset()
  }

  readonly ready = async (): Promise<boolean> => this.#large?.isLevel ?? true

  async [Symbol.asyncDispose](): Promise<void> {
    this.#forget()
    await this.#large?.[Symbol.asyncDispose]()
  }

  /** Asks the rows where the search finds that the file is damaged. */
  async #searchLarge(
    large: FtsIndex,
    request: SearchRequest,
    visibility: Visibility,
  ): Promise<SearchResult> {
    try {
      return await searchInTime(large, request, visibility)
    } catch (error) {
      if (large.isLevel) throw error
      return this.#searchRows(request, visibility)
    }
  }

  async #searchRows(request: SearchRequest, visibility: Visibility): Promise<SearchResult> {
    const documents = this.#load(withoutOnly(visibility))
    const wanted = { condition: conditionOf(request), only: onlyDocument(visibility) }
    const large = this.#large?.of(visibility)
    const isLeft = (document: IndexedDocument): boolean =>
      large !== undefined && isTooLong(document)
    const scan = await scanDocuments(documents, wanted, request, isLeft)
    if (!scan) return this.#searchLater(request, visibility)
    const key = keyOf(visibility)
    const isBuilt = (this.#indexes.get(key)?.size ?? 0) > 0
    // It has become small enough: the next search indexes it.
    if (!isBuilt && scan.looked <= this.#limitOf(visibility) / 2) this.#drop(key)
    return toResult(scan.hits, request)
  }

  /** @throws {DepositError} overloaded: the index on disk is not ready in time */
  async #searchLater(request: SearchRequest, visibility: Visibility): Promise<SearchResult> {
    const large = this.#large?.of(visibility)
    const isLevel = await large?.untilLevel(longestWait)
    if (!large || !isLevel) throw problem('overloaded')
    return searchInTime(large, request, visibility)
  }

  #limitOf({ of }: Visibility): number {
    const most = this.#large ? Math.min(this.#maxBytes, mostOfIndex) : this.#maxBytes
    return of === 'owner' || !this.#large ? most : Math.min(most, this.#large.limit)
  }

  #forget(): void {
    this.#indexes.clear()
    this.#size = 0
  }

  /** The index of `visibility`, which is now the one used last. */
  #open(key: string, visibility: Visibility): LazyIndex {
    const index = this.#indexes.get(key) ?? this.#create(key, visibility)
    this.#indexes.delete(key)
    this.#indexes.set(key, index)
    return index
  }

  #create(key: string, visibility: Visibility): LazyIndex {
    const index: LazyIndex = new LazyIndex({
      load: () => this.#load(withoutOnly(visibility)),
      limit: this.#limitOf(visibility),
      resized: (by) => {
        if (this.#indexes.get(key) === index) this.#resize(by)
      },
    })
    return index
  }

  #change(document: DocumentName, change: (index: LazyIndex) => void): void {
    for (const key of keysOf(document)) {
      const index = this.#indexes.get(key)
      if (!index) continue
      try {
        change(index)
      } catch (error) {
        // It may be half changed: the next search builds it again.
        this.#drop(key)
        throw error
      }
    }
  }

  #resize(by: number): void {
    this.#size += by
    for (const [key, index] of this.#indexes) {
      if (this.#size <= this.#maxBytes) return
      if (index.size > 0) this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#size -= this.#indexes.get(key)?.size ?? 0
    this.#indexes.delete(key)
  }
}

type DocumentName = Pick<IndexedDocument, 'kind' | 'id' | 'owners'>

/** The names of the indexes a document belongs to. */
function keysOf({ kind, owners }: DocumentName): readonly string[] {
  if (kind === 'record') return ['records']
  return ['deposits', ...owners.map((user) => keyOf({ of: 'owner', user }))]
}

/** The name of the index of all that `visibility` covers. */
function keyOf(visibility: Visibility): string {
  return visibility.of === 'owner' ? `owner ${visibility.user}` : visibility.of
}

/** A visibility of one deposit is searched in the index of them all. */
function withoutOnly(visibility: Visibility): Visibility {
  const { of } = visibility
  return of === 'owner' ? { of, user: visibility.user } : { of }
}

/** @throws {DepositError} overloaded: other searches and changes keep the index busy */
async function searchInTime(
  large: FtsIndex,
  request: SearchRequest,
  visibility: Visibility,
): Promise<SearchResult> {
  const result = await large.search(request, visibility, longestWait)
  if (!result) throw problem('overloaded')
  return result
}

function conditionOf({ query }: SearchRequest): Condition {
  return toCondition(query ?? { type: 'all' })
}

async function searchMemory(
  index: DocumentIndex,
  request: SearchRequest,
  visibility: Visibility,
): Promise<SearchResult> {
  const found = await index.find(conditionOf(request), onlyDocument(visibility))
  return toResult(
    found.map(({ document, score }) => toHit(document, score, request)),
    request,
  )
}
