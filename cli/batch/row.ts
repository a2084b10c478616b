import { advice } from '../advice.ts'
import { createHash } from 'node:crypto'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'

/** One deposit of a batch, as it stands in the file. */
export interface RowContent {
  /** Where it begins in the file, from 1; undefined where that is not known. */
  readonly line: number | undefined
  /** A name of the user's, which the row keeps when it is changed. */
  readonly key: string | undefined
  readonly metadata: Metadata
  /** Folder of its files; metadata of its own are added to. */
  readonly folder: string | undefined
  /** Files and folders besides. */
  readonly files: readonly string[]
}

export interface Row extends RowContent {
  /** Counted from 1; the titles of a table do not count. */
  readonly number: number
  /** What the batch knows it by when it is run again. */
  readonly identity: string
}

/**
 * Rows with what they are known by: their `key`, or all that they hold. Rows that are alike and
 * have no key are told apart by their order.
 *
 * @throws {UsageFailure} two rows have the same key
 */
export function toRows(file: string, contents: readonly RowContent[]): readonly Row[] {
  requireDistinctKeys(file, contents)
  const seen = new Map<string, number>()
  return contents.map((content, at) => {
    const { key, metadata, folder, files } = content
    const basis = key === undefined ? JSON.stringify({ metadata, folder, files }) : `key ${key}`
    const times = (seen.get(basis) ?? 0) + 1
    seen.set(basis, times)
    const identity = createHash('sha256').update(`${times} ${basis}`).digest('hex').slice(0, 32)
    return { ...content, number: at + 1, identity }
  })
}

function requireDistinctKeys(file: string, contents: readonly RowContent[]): void {
  const numbered = contents.map(({ key, line }, at) => ({ key, line, number: at + 1 }))
  const groups = Map.groupBy(numbered, ({ key }) => key)
  const faults = [...groups].flatMap(([key, group]) => {
    if (key === undefined || group.length === 1) return []
    const rows = group.map(({ number, line }) => (line ? `${number} (line ${line})` : number))
    return [`rows ${rows.join(' and ')} have the key ${JSON.stringify(key)}`]
  })
  if (faults.length === 0) return
  throw new UsageFailure({
    tried: `read ${file}`,
    said: faults.join('; '),
    next: advice.useOwnKeys(),
  })
}

/** What a person calls the row: its key, its title, or its folder. */
export function labelOf({ key, metadata, folder }: RowContent): string | undefined {
  const { title } = metadata
  return key ?? (typeof title === 'string' && title !== '' ? title : folder)
}

/** `line 4, Tides`: how a person finds the row again. */
export function nameRow(row: RowContent): string {
  const line = row.line === undefined ? undefined : `line ${row.line}`
  return [line, labelOf(row)].filter((part) => part !== undefined).join(', ')
}

/** `row 3 (line 4, Tides)`. */
export function describeRow(row: Row): string {
  const name = nameRow(row)
  return name === '' ? `row ${row.number}` : `row ${row.number} (${name})`
}
