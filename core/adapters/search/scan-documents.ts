import { giveWay } from '../../base/turns.ts'
import type { Condition } from '../../search/conditions.ts'
import { estimatedBytes, type IndexedDocument } from '../../search/indexed-document.ts'
import { holds } from '../../search/match.ts'
import type { SearchRequest } from '../../search/request.ts'
import { toHit, type Hit } from '../../search/results.ts'

export interface Wanted {
  readonly condition: Condition
  /** Id of the one document that may be found. */
  readonly only: string | undefined
}

export interface Scan {
  readonly hits: readonly Hit[]
  /** Bytes of memory that all of them would take, estimated. */
  readonly looked: number
}

/**
 * Searches without an index: looks at every document, and keeps of each hit only what its order needs.
 *
 * @returns undefined where there is one that only an index can look into
 */
export async function scanDocuments(
  documents: AsyncIterable<IndexedDocument>,
  { condition, only }: Wanted,
  request: SearchRequest,
  isLeft: (document: IndexedDocument) => boolean,
): Promise<Scan | undefined> {
  const hits: Hit[] = []
  let looked = 0
  for await (const document of documents) {
    await giveWay()
    if (isLeft(document)) return undefined
    looked += estimatedBytes(document)
    if (only !== undefined && document.id !== only) continue
    if (holds(condition, document)) hits.push(toHit(document, 1, request))
  }
  return { hits, looked }
}
