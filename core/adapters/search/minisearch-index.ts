import type {
  IndexedDocument,
  LoadDocuments,
  SearchIndex,
  SearchResult,
  Visibility,
} from '../../ports/search-index.ts'
import { toCondition } from '../../search/conditions.ts'
import type { SearchRequest } from '../../search/request.ts'
import { toHit, toResult } from '../../search/results.ts'
import { LazyIndex } from './lazy-index.ts'
import { scanDocuments } from './scan-documents.ts'

type DocumentName = Pick<IndexedDocument, 'kind' | 'id' | 'owners'>

export interface MiniSearchOptions {
  readonly load: LoadDocuments
  /** Documents in memory over all indexes; what was used least recently goes first. */
  readonly maxDocuments?: number
}

/** About half a gigabyte of documents of 70 words. */
const defaultMaxDocuments = 100_000

/**
 * A search index in memory: a small one for each owner, one for all deposits and one for the
 * records, each built from the rows when it is first asked and kept level afterwards. Ownership is
 * the index itself, so a search costs nothing for other people's deposits.
 *
 * Where an index would be larger than `maxDocuments`, its searches read the rows instead: slowly,
 * but in bounded memory, and with the same results. They know no scores.
 */
export class MiniSearchIndex implements SearchIndex {
  readonly #load: LoadDocuments
  readonly #maxDocuments: number
  /** In the order of their last use. */
  readonly #indexes = new Map<string, LazyIndex>()
  #size = 0

  constructor({ load, maxDocuments = defaultMaxDocuments }: MiniSearchOptions) {
    this.#load = load
    this.#maxDocuments = maxDocuments
  }

  readonly put = async (document: IndexedDocument): Promise<void> => {
    this.#change(document, (index) => index.put(document))
  }

  readonly remove = async (document: DocumentName): Promise<void> => {
    this.#change(document, (index) => index.remove(document.id))
  }

  readonly search = async (
    request: SearchRequest,
    visibility: Visibility,
  ): Promise<SearchResult> => {
    const key = keyOf(visibility)
    const condition = toCondition(request.query ?? { type: 'all' })
    const only = onlyDocument(visibility)
    const index = await this.#open(key, visibility).open()
    if (index) {
      const found = index.find(condition, only)
      return toResult(
        found.map(({ document, score }) => toHit(document, score, request)),
        request,
      )
    }
    const documents = this.#load(withoutOnly(visibility))
    const { hits, looked } = await scanDocuments(documents, { condition, only }, request)
    if (looked < this.#maxDocuments) this.#drop(key)
    return toResult(hits, request)
  }

  readonly reset = async (): Promise<void> => {
    this.#indexes.clear()
    this.#size = 0
  }

  readonly ready = async (): Promise<boolean> => true

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reset()
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
      limit: this.#maxDocuments - 1,
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
        // Half a change is worse than none: the next search builds the index anew.
        this.#drop(key)
        throw error
      }
    }
  }

  #resize(by: number): void {
    this.#size += by
    for (const [key, index] of this.#indexes) {
      if (this.#size <= this.#maxDocuments) return
      if (index.size > 0) this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#size -= this.#indexes.get(key)?.size ?? 0
    this.#indexes.delete(key)
  }
}

/** The names of the indexes a document belongs to. */
function keysOf({ kind, owners }: DocumentName): readonly string[] {
  if (kind === 'record') return ['records']
  return ['deposits', ...owners.map((user) => keyOf({ of: 'owner', user }))]
}

function keyOf(visibility: Visibility): string {
  return visibility.of === 'owner' ? `owner ${visibility.user}` : visibility.of
}

/** Deposits of which only one may be seen are in the index of them all. */
function withoutOnly(visibility: Visibility): Visibility {
  switch (visibility.of) {
    case 'owner':
      return { of: 'owner', user: visibility.user }
    case 'deposits':
    case 'records':
      return { of: visibility.of }
  }
}

function onlyDocument(visibility: Visibility): string | undefined {
  return visibility.of === 'records' ? undefined : visibility.only
}
