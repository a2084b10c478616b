import { createHash } from 'node:crypto'
import type { Metadata } from '../client/deposit-client.ts'

/** One deposit of a batch, as it stands in the file. */
export interface Row {
  /** Where it stands, counted from 1; the titles of a table do not count. */
  readonly number: number
  /** What the batch knows it by when it is run again. */
  readonly identity: string
  readonly metadata: Metadata
  /** Folder of its files; metadata of its own are added to. */
  readonly folder: string | undefined
  /** Files and folders besides. */
  readonly files: readonly string[]
}

export type RowContent = Omit<Row, 'number' | 'identity'> & {
  /** A name of the user's, which the row keeps when it is changed. */
  readonly key: string | undefined
}

/**
 * Rows with what they are known by: their `key`, or all that they hold. Rows that are alike are
 * told apart by their order.
 */
export function toRows(contents: readonly RowContent[]): readonly Row[] {
  const seen = new Map<string, number>()
  return contents.map(({ key, ...content }, at) => {
    const basis = key === undefined ? JSON.stringify(content) : `key ${key}`
    const times = (seen.get(basis) ?? 0) + 1
    seen.set(basis, times)
    const identity = createHash('sha256').update(`${times} ${basis}`).digest('hex').slice(0, 32)
    return { ...content, number: at + 1, identity }
  })
}
