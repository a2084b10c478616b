import { advice } from '../advice.ts'
import { createHash } from 'node:crypto'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure, type Failure } from '../failure.ts'

/** One deposit of a batch, as in its file. */
export interface RowContent {
  /** Its first line in the file, from 1; undefined if unknown. */
  readonly line: number | undefined
  /** The user's key, which identifies the row when its content changes. */
  readonly key: string | undefined
  readonly metadata: Metadata
  /** Folder of its files; fields of the row are added to the folder's metadata. */
  readonly folder: string | undefined
  /** Further files and folders. */
  readonly files: readonly string[]
  /** Each column, or field at the top of a document, with its value in the file. */
  readonly cells: readonly (readonly [name: string, value: unknown])[]
}

export interface Row extends RowContent {
  /** Counted from 1; the titles of a table do not count. */
  readonly number: number
  /** Identifies the row when the batch is run again. */
  readonly identity: string
}

/** Why a row cannot be sent. */
export interface RowFault {
  readonly row: Row
  readonly failure: Failure
}

/**
 * Gives each row its identity: its `key`, or its content. Equal rows without a key are told apart
 * by their order.
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

/** The label of a row: its key, title or folder. */
export function labelOf({ key, metadata, folder }: RowContent): string | undefined {
  const { title } = metadata
  return key ?? (typeof title === 'string' && title !== '' ? title : folder)
}

/** Names a row for a person: `line 4, Tides`. */
export function nameRow(row: RowContent): string {
  const line = row.line === undefined ? undefined : `line ${row.line}`
  return [line, labelOf(row)].filter((part) => part !== undefined).join(', ')
}

/** As options name the row: by its key, or its number. */
export function keyOf({ key, number }: Row): string {
  return key ?? String(number)
}

/** `row 3 (line 4, Tides)`. */
export function describeRow(row: Row): string {
  const name = nameRow(row)
  return name === '' ? `row ${row.number}` : `row ${row.number} (${name})`
}

/** Identifies the row for a program. */
export function placeOf(row: Row): object {
  return { row: row.number, line: row.line ?? null, name: labelOf(row) ?? null }
}

/** Where the files of a row without a key lie; undefined where it has none. */
export function filesOf({ key, folder, files }: RowContent): string | undefined {
  const isNowhere = folder === undefined && files.length === 0
  return key !== undefined || isNowhere ? undefined : JSON.stringify([folder ?? '', ...files])
}
