import { randomUUID } from 'node:crypto'

/** Ids that begin alike, one after another. */
const runLength = 1000

/**
 * A source of UUIDs of which those made one after another begin alike.
 *
 * An index of random ids has every entry on another page: a deposit of ten thousand files then costs
 * ten thousand pages to read and to write, as soon as the index is larger than its cache. Of runs it
 * is some dozens. Runs are spread as single ids would be, so folders and stores that are divided by
 * the beginning of an id fill evenly.
 *
 * @param shared hexadecimal digits that they have in common, up to 8; people tell ids apart by the
 *   others
 */
export function neighbours(shared: number): () => string {
  let beginning = ''
  let left = 0
  return () => {
    const id = randomUUID()
    if (left === 0) {
      beginning = id.slice(0, shared)
      left = runLength
    }
    left -= 1
    return beginning + id.slice(shared)
  }
}
