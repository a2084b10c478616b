import type { IndexedDocument } from '../../../ports/search-index.ts'

type Status = IndexedDocument['status']

/**
 * The number of a document in the index: even for a draft, odd for what is published. So the facet
 * that every search counts needs no look at the document.
 */
export function documentNumber(ordinal: number, status: Status): number {
  return 2 * ordinal + (status === 'published' ? 1 : 0)
}

/** @param number of a document, or its last bit */
export function statusOf(number: number): Status {
  return number % 2 === 1 ? 'published' : 'draft'
}
