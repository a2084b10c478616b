import { sql } from 'kysely'
import { giveWay } from '../../base/turns.ts'
import type { Measured } from '../../ports/deposits.ts'

/** Bytes of documents that are read at once: some milliseconds of reading them. */
const batchBytes = 512 * 1024

/** Known without reading the document. */
export const documentBytes = sql<number>`octet_length(document)`

/**
 * Reads rows by their names, as many at a time as bytes allow; one that is larger is read alone.
 * Others get their turn before each batch.
 *
 * @param read answers the rows in the order of their names
 */
export async function* inBoundedBatches<Name, Item>(
  rows: readonly Measured<Name>[],
  read: (names: readonly Name[]) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  let names: Name[] = []
  let total = 0
  for (const { name, bytes } of rows) {
    if (names.length > 0 && total + bytes > batchBytes) {
      await giveWay()
      yield await read(names)
      names = []
      total = 0
    }
    names.push(name)
    total += bytes
  }
  if (names.length === 0) return
  await giveWay()
  yield await read(names)
}
