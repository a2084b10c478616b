import MiniSearch from 'minisearch'
import { wordsOf } from '../../../search/analyze.ts'
import type { Condition } from '../../../search/conditions.ts'
import {
  estimatedBytes,
  isServiceField,
  leavesAt,
  leavesOf,
  plainLeaves,
  textLength,
  type Leaf,
  type IndexedDocument,
} from '../../../search/indexed-document.ts'
import { giveWay } from '../../../base/turns.ts'
import { holds } from '../../../search/match.ts'
import { indexedFields, toCandidates } from './minisearch-query.ts'

/** Memory of each different word, estimated in bytes: words take most by far. */
const bytesOfTerm = 1000

/** Different words from which on a prefix or fuzzy search takes MiniSearch too long. */
const mostTerms = 5000

/** Characters of a short word with the space behind it. */
const charactersOfWord = 8

/** Documents in memory with a MiniSearch over them: one owner's, say. */
export class DocumentIndex {
  /** Memory of the documents without their words, in bytes. */
  #bytes = 0
  /** Different words when they were counted, and characters that changed since. */
  #terms = 0
  #uncounted = 0
  readonly #documents = new Map<string, IndexedDocument>()
  readonly #search = new MiniSearch<IndexedDocument>({
    fields: [...indexedFields],
    extractField: (document, field) => textOf(document, field),
    tokenize: (text) => [...wordsOf(text)],
    processTerm: (word) => word,
    searchOptions: { tokenize: (word) => [word], processTerm: (word) => word, boost: { title: 2 } },
  })

  /** Memory in bytes, estimated. */
  get bytes(): number {
    return this.#bytes + bytesOfTerm * this.#terms
  }

  /** Whether `condition` has a prefix or fuzzy word, and the index too many words for that. */
  isTooMuchFor(condition: Condition): boolean {
    return hasInexactWords(condition) && this.#search.termCount > mostTerms
  }

  /** Adds the document, or replaces it. */
  put(document: IndexedDocument): void {
    this.remove(document.id)
    this.#documents.set(document.id, document)
    this.#bytes += estimatedBytes(document)
    this.#search.add(document)
    this.#countWords(document)
  }

  remove(id: string): void {
    const document = this.#documents.get(id)
    if (!document) return
    this.#documents.delete(id)
    this.#bytes -= estimatedBytes(document)
    // Not `discard`: its leftovers would make scores depend on what was here before.
    this.#search.remove(document)
    this.#countWords(document)
  }

  /** Counts the words again once an eighth of the memory may have changed: MiniSearch goes through all. */
  #countWords(document: IndexedDocument): void {
    this.#uncounted += textLength(document)
    const unknown = (this.#uncounted / charactersOfWord) * bytesOfTerm
    if (unknown < this.bytes / 8) return
    this.#terms = this.#search.termCount
    this.#uncounted = 0
  }

  /** The documents for which `condition` holds, in no order; with `only`, that one at most. */
  async find(condition: Condition, only?: string): Promise<readonly Found[]> {
    const { query, exact } = toCandidates(condition)
    const found: Found[] = []
    await giveWay()
    for (const [index, { id, score }] of this.#search.search(query).entries()) {
      if (!exact && index % lookedAtOnce === 0) await giveWay()
      const document = this.#documents.get(String(id))
      if (!document || (only !== undefined && document.id !== only)) continue
      if (exact || holds(condition, document)) found.push({ document, score })
    }
    return found
  }
}

/** Documents that are looked into before others get their turn. */
const lookedAtOnce = 16

function hasInexactWords(condition: Condition): boolean {
  switch (condition.type) {
    case 'words':
      return condition.words.some(({ match }) => match !== 'exact')
    case 'and':
    case 'or':
      return condition.conditions.some(hasInexactWords)
    case 'not':
      return hasInexactWords(condition.condition)
    case 'all':
    case 'none':
    case 'range':
    case 'exists':
      return false
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
