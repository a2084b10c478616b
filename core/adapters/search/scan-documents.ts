import type { IndexedDocument } from '../../ports/search-index.ts'
import type { Condition } from '../../search/conditions.ts'
import { holds } from '../../search/match.ts'
import type { SearchRequest } from '../../search/request.ts'
import type { Hit } from '../../search/results.ts'
import { toHit } from '../../search/results.ts'

export interface Wanted {
  readonly condition: Condition
  /** Id of the one document that may be found. */
  readonly only: string | undefined
}

export interface Scan {
  readonly hits: readonly Hit[]
  /** Documents that were looked at. */
  readonly looked: number
}

/** Looks at every document for the want of an index. Keeps of each hit what its order needs. */
export async function scanDocuments(
  documents: AsyncIterable<IndexedDocument>,
  { condition, only }: Wanted,
  request: SearchRequest,
): Promise<Scan> {
  const hits: Hit[] = []
  let looked = 0
  for await (const document of documents) {
    looked += 1
    if (only !== undefined && document.id !== only) continue
    if (holds(condition, document)) hits.push(toHit(document, 1, request))
  }
  return { hits, looked }
}
