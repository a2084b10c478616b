import { setImmediate } from 'node:timers/promises'
import type { IndexedDocument } from '../../ports/search-index.ts'
import { DocumentIndex } from './document-index.ts'

/** Documents added before others get a turn: a few milliseconds. */
const batch = 32

interface LazyIndexOptions {
  readonly load: () => AsyncIterable<IndexedDocument>
  /** Documents. */
  readonly limit: number
  /** Told of every change of {@link LazyIndex.size}. */
  readonly resized: (by: number) => void
}

/** An index that is built when it is first needed, and hears of changes while that is under way. */
export class LazyIndex {
  readonly #options: LazyIndexOptions
  #opening: Promise<DocumentIndex | undefined> | undefined
  #built: DocumentIndex | undefined
  /** What changed during the build, which may have read the row before. */
  #changes: Map<string, IndexedDocument | undefined> | undefined

  constructor(options: LazyIndexOptions) {
    this.#options = options
  }

  /** Documents held in memory and one more for the index itself; 0 where there is none. */
  get size(): number {
    return this.#built ? this.#built.size + 1 : 0
  }

  /** The index; undefined where there are more documents than the limit. */
  open(): Promise<DocumentIndex | undefined> {
    this.#opening ??= this.#build()
    return this.#opening
  }

  put(document: IndexedDocument): void {
    this.#resize(() => this.#built?.put(document))
    this.#changes?.set(document.id, document)
  }

  remove(id: string): void {
    this.#resize(() => this.#built?.remove(id))
    this.#changes?.set(id, undefined)
  }

  async #build(): Promise<DocumentIndex | undefined> {
    const changes = (this.#changes = new Map<string, IndexedDocument | undefined>())
    try {
      const index = await this.#read()
      if (index) applyChanges(index, changes)
      this.#resize(() => (this.#built = index))
      return index
    } catch (error) {
      // The next search tries again.
      this.#opening = undefined
      throw error
    } finally {
      this.#changes = undefined
    }
  }

  async #read(): Promise<DocumentIndex | undefined> {
    const index = new DocumentIndex()
    let unbroken = 0
    for await (const document of this.#options.load()) {
      index.put(document)
      if (index.size > this.#options.limit) return undefined
      unbroken = (unbroken + 1) % batch
      if (unbroken === 0) await setImmediate()
    }
    return index
  }

  #resize(change: () => void): void {
    const before = this.size
    change()
    this.#options.resized(this.size - before)
  }
}

function applyChanges(
  index: DocumentIndex,
  changes: ReadonlyMap<string, IndexedDocument | undefined>,
): void {
  for (const [id, document] of changes) {
    if (document) index.put(document)
    else index.remove(id)
  }
}
