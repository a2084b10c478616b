import { giveWay } from '../../../base/turns.ts'
import { isTooLong, type IndexedDocument } from '../../../search/indexed-document.ts'
import { DocumentIndex } from './document-index.ts'

interface LazyIndexOptions {
  readonly load: () => AsyncIterable<IndexedDocument>
  /** Bytes of memory, estimated. */
  readonly limit: number
  /** Called with every change of {@link LazyIndex.size}. */
  readonly resized: (by: number) => void
}

/** An index that is built when it is first needed; changes during the build are applied after it. */
export class LazyIndex {
  readonly #options: LazyIndexOptions
  #opening: Promise<DocumentIndex | undefined> | undefined
  #built: DocumentIndex | undefined
  /** Changes during the build, which may have read the row before. */
  #changes: Map<string, IndexedDocument | undefined> | undefined

  constructor(options: LazyIndexOptions) {
    this.#options = options
  }

  /** Bytes of memory, estimated; 0 where there is no index. */
  get size(): number {
    return this.#built ? this.#built.bytes + bytesOfIndex : 0
  }

  /** The index; undefined where there is more than the limit, or a document that is too long. */
  open(): Promise<DocumentIndex | undefined> {
    this.#opening ??= this.#build()
    return this.#opening
  }

  put(document: IndexedDocument): void {
    this.#changes?.set(document.id, document)
    this.#resize(() => {
      if (isTooLong(document)) this.#giveUp()
      else this.#built?.put(document)
      if (this.size > this.#options.limit) this.#giveUp()
    })
  }

  remove(id: string): void {
    this.#resize(() => this.#built?.remove(id))
    this.#changes?.set(id, undefined)
  }

  #giveUp(): void {
    if (this.#built) this.#opening = Promise.resolve(undefined)
    this.#built = undefined
  }

  async #build(): Promise<DocumentIndex | undefined> {
    const changes = (this.#changes = new Map<string, IndexedDocument | undefined>())
    try {
      const isLong = (): boolean => [...changes.values()].some((each) => each && isTooLong(each))
      const read = await this.#read()
      const index = isLong() ? undefined : read
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
    for await (const document of this.#options.load()) {
      await giveWay()
      if (isTooLong(document)) return undefined
      index.put(document)
      if (index.bytes + bytesOfIndex > this.#options.limit) return undefined
    }
    return index
  }

  #resize(change: () => void): void {
    const before = this.size
    change()
    this.#options.resized(this.size - before)
  }
}

/** Memory of an empty index, in bytes. */
const bytesOfIndex = 2000

function applyChanges(
  index: DocumentIndex,
  changes: ReadonlyMap<string, IndexedDocument | undefined>,
): void {
  for (const [id, document] of changes) {
    if (document) index.put(document)
    else index.remove(id)
  }
}
