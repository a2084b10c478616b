import type { Measured } from '../ports/deposits.ts'

/** Bytes of the answer to a list: it ends there, and the next page leads on. */
export const maxListBytes = 8 * 1024 * 1024

/** Most bytes an item of a list has beside its document, mainly links. */
const besideDocument = 2048

/** Names whose documents are measured at a time. */
const batchSize = 500

/** The first items of a page: as many as one answer may have, and one at least. */
export interface BoundedPage<Name> {
  readonly items: readonly Measured<Name>[]
  /** Bytes of the answer, about. */
  readonly bytes: number
  /** Names of the page that are answered, whether they are still there or not. */
  readonly taken: number
}

/**
 * Cuts a page where its answer would become too large.
 *
 * @param measure answers the names that exist, in their order
 */
export async function boundPage<Name>(
  names: readonly Name[],
  measure: (names: readonly Name[]) => Promise<readonly Measured<Name>[]>,
): Promise<BoundedPage<Name>> {
  const items: Measured<Name>[] = []
  let bytes = 0
  for (let start = 0; start < names.length; start += batchSize) {
    for (const item of await measure(names.slice(start, start + batchSize))) {
      const size = item.bytes + besideDocument
      if (items.length > 0 && bytes + size > maxListBytes) {
        return { items, bytes, taken: names.indexOf(item.name) }
      }
      items.push(item)
      bytes += size
    }
  }
  return { items, bytes, taken: names.length }
}
