import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { applyChanges, parseSet, type Change } from '../metadata/change.ts'
import { findSeparator, isUntitled, refuseStrays, settleTitles } from './columns.ts'
import type { RowContent } from './row.ts'

/** Between several values in one cell. */
const separator = /\s*;\s*/

/** Columns that hold lists. */
const lists: Readonly<Record<string, (name: string) => unknown>> = {
  keywords: (keyword) => keyword,
  creators: (name) => ({ name }),
  contributors: (name) => ({ name }),
}

interface Table {
  readonly file: string
  readonly text: string
  /** What separates cells, unless the titles say otherwise. */
  readonly usual: ',' | '\t'
  /** Where relative paths start. */
  readonly folder: string
}

/** A record of csv-parse, with what it knows of its place. */
interface Parsed {
  readonly record: Readonly<Record<string, string>>
  readonly info: { readonly lines: number; readonly empty_lines: number }
}

/**
 * A table with titles: each column is a field of the metadata, or a JSON Pointer into them. One
 * whose title ends in `:` holds JSON. `folder`, `files` and `key` are ours. Empty cells say nothing.
 *
 * @throws {UsageFailure} with the line of the fault
 */
export async function readTable({
  file,
  text,
  usual,
  folder,
}: Table): Promise<readonly RowContent[]> {
  const { parse, CsvError } = await import('csv-parse/sync')
  // Excel writes its separator into a line of its own.
  const [own = '', given] = /^sep=(.)\r?\n/i.exec(text) ?? []
  const skipped = own === '' ? 0 : 1
  const body = text.slice(own.length)
  try {
    const rows: readonly Parsed[] = parse(body, {
      columns: (titles: readonly string[]) => settleTitles(file, titles),
      delimiter: given ?? findSeparator(body, usual),
      info: true,
      skip_empty_lines: true,
      trim: true,
    })
    refuseStrays(file, folder, cellsOf(rows))
    return rows.map((row, at) => toContent(file, row, lineOf(rows, at) + skipped))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw unusable(file, error.message, error)
  }
}

/** A row may take several lines: it begins behind the one before, and behind the lines between. */
function lineOf(rows: readonly Parsed[], at: number): number {
  const info = rows[at]?.info
  const before = rows[at - 1]?.info ?? { lines: 1, empty_lines: 0 }
  return before.lines + 1 + ((info?.empty_lines ?? 0) - before.empty_lines)
}

function cellsOf(rows: readonly Parsed[]): ReadonlyMap<string, readonly string[]> {
  const titles = Object.keys(rows[0]?.record ?? {})
  return new Map(titles.map((title) => [title, rows.map(({ record }) => record[title] ?? '')]))
}

function toContent(file: string, { record }: Parsed, line: number): RowContent {
  const { folder, files, key, ...fields } = record
  const filled = Object.entries(fields).filter(([, cell]) => cell !== '')
  const stray = filled.find(([column]) => isUntitled(column))
  if (stray) throw unusable(file, `line ${line}: "${stray[1]}" has no title above it`)
  try {
    return {
      line,
      metadata: applyChanges({}, filled.map(toChange)),
      folder: folder === '' ? undefined : folder,
      files: files ? files.split(separator) : [],
      key: key === '' ? undefined : key,
    }
  } catch (error) {
    if (!(error instanceof UsageFailure)) throw error
    throw unusable(file, `line ${line}: ${error.said}`, error)
  }
}

function toChange([column, cell]: readonly [string, string]): Change {
  const make = Object.hasOwn(lists, column) ? lists[column] : undefined
  if (make === undefined) return parseSet(`${column}=${cell}`)
  return { path: [column], value: cell.split(separator).map(make) }
}

function unusable(file: string, said: string, cause?: unknown): UsageFailure {
  const next = advice.correctInput()
  return new UsageFailure({ tried: `read ${file}`, said, next }, { cause })
}
