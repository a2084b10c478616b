import MiniSearch from 'minisearch'
import { wordsOf } from '../../search/analyze.ts'
import type { Condition } from '../../search/conditions.ts'
import type { Leaf } from '../../search/document-leaves.ts'
import type { IndexedDocument } from '../../ports/search-index.ts'
import { isServiceField, leavesAt, leavesOf, plainLeaves } from '../../search/document-leaves.ts'
import { holds } from '../../search/match.ts'
import { indexedFields, toCandidates } from './minisearch-query.ts'

/** Documents in memory with a MiniSearch over them: one owner's, say. */
export class DocumentIndex {
  readonly #documents = new Map<string, IndexedDocument>()
  readonly #search = new MiniSearch<IndexedDocument>({
    fields: [...indexedFields],
    extractField: (document, field) => textOf(document, field),
    tokenize: (text) => [...wordsOf(text)],
    processTerm: (word) => word,
    searchOptions: { tokenize: (word) => [word], processTerm: (word) => word, boost: { title: 2 } },
  })

  get size(): number {
    return this.#documents.size
  }

  /** Adds the document, or puts it in the place of what it was before. */
  put(document: IndexedDocument): void {
    this.remove(document.id)
    this.#documents.set(document.id, document)
    this.#search.add(document)
  }

  remove(id: string): void {
    const document = this.#documents.get(id)
    if (!document) return
    this.#documents.delete(id)
    // Not `discard`: its leftovers would make scores depend on what was here before.
    this.#search.remove(document)
  }

  /** The documents for which `condition` holds, in no order; with `only`, that one at most. */
  find(condition: Condition, only?: string): readonly Found[] {
    const { query, exact } = toCandidates(condition)
    const found: Found[] = []
    for (const { id, score } of this.#search.search(query)) {
      const document = this.#documents.get(String(id))
      if (!document || (only !== undefined && document.id !== only)) continue
      if (exact || holds(condition, document)) found.push({ document, score })
    }
    return found
  }
}

export interface Found {
  readonly document: IndexedDocument
  /** Of the query in this index: higher is better. */
  readonly score: number
}

function textOf(document: IndexedDocument, field: string): string {
  return field === 'id' ? document.id : [...leavesIn(document, field)].join('\n')
}

/** Every value that a query can look into is in the part that `minisearch-query.ts` looks into. */
function* leavesIn(indexed: IndexedDocument, part: string): Generator<Leaf> {
  if (part === 'title') yield* leavesAt(indexed, ['title'])
  else if (part === 'text') yield* plainLeaves(indexed, 'title')
  else {
    yield indexed.created
    yield indexed.updated
    for (const [name, value] of Object.entries(indexed.document)) {
      if (isServiceField(name)) yield* leavesOf(value)
    }
  }
}
