import type { IndexedDocument, Visibility } from '../../../ports/search-index.ts'
import type { FtsIndex } from '../fts/fts-index.ts'
import { isTooLong } from '../scan-documents.ts'

export interface LargeOptions {
  readonly deposits: FtsIndex
  readonly records: FtsIndex
  /** How many documents there are of either. */
  readonly count: (kind: LargeKind) => Promise<number>
  /** Documents from which on there is an index on disk from the start. */
  readonly documents: number
  /** Bytes of what spans owners that are kept in memory. */
  readonly limit: number
}

export type LargeKind = 'deposits' | 'records'

const kinds: readonly LargeKind[] = ['deposits', 'records']

/** Indexes on disk of what spans owners, each begun when there is too much of it for memory. */
export class LargeIndexes implements AsyncDisposable {
  readonly #options: LargeOptions

  constructor(options: LargeOptions) {
    this.#options = options
  }

  /** Bytes of what spans owners that are kept in memory. */
  get limit(): number {
    return this.#options.limit
  }

  /** False while one of them is wanted and cannot be searched. */
  get isLevel(): boolean {
    return kinds.every((kind) => !this.#options[kind].isBehind)
  }

  /** The index that has all that `visibility` covers. */
  of(visibility: Visibility): FtsIndex {
    return this.#options[visibility.of === 'records' ? 'records' : 'deposits']
  }

  /** Begins those that there are, and those that there should be. */
  async start(): Promise<void> {
    const { count, documents } = this.#options
    for (const kind of kinds) {
      const index = this.#options[kind]
      if (index.isThere || (await count(kind)) > documents) index.begin()
    }
  }

  /** A document that is too long for memory begins its index: no search has to wait for that. */
  async put(document: IndexedDocument): Promise<void> {
    const index = this.#options[kindOf(document)]
    if (!index.isBegun && isTooLong(document)) index.begin()
    await index.put(document)
  }

  async remove(document: Pick<IndexedDocument, 'kind' | 'id'>): Promise<void> {
    await this.#options[kindOf(document)].remove(document.id)
  }

  async reset(): Promise<void> {
    for (const kind of kinds) await this.#options[kind].drop()
    await this.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const kind of kinds) await this.#options[kind][Symbol.asyncDispose]()
  }
}

function kindOf({ kind }: Pick<IndexedDocument, 'kind'>): LargeKind {
  return kind === 'record' ? 'records' : 'deposits'
}
