import { advice, type Advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { count } from '../output/units.ts'
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
  /** Separator of cells, unless the titles show another. */
  readonly usual: ',' | '\t'
  /** The folder where relative paths start. */
  readonly folder: string
}

/** A record of csv-parse: its cells, and its end. */
interface Parsed {
  readonly record: readonly string[]
  readonly info: { readonly bytes: number }
}

interface TableRow {
  readonly cells: Readonly<Record<string, string>>
  /** The same in their order. */
  readonly all: readonly (readonly [title: string, cell: string])[]
  /** Its first line, from 1. */
  readonly line: number
}

/**
 * Reads a table with titles. Each column is a field of the metadata, or a JSON Pointer; a title
 * that ends in `:` marks cells of JSON. `folder`, `files` and `key` are no metadata. Empty cells
 * are ignored.
 *
 * @throws {UsageFailure} with the line of the fault
 */
export async function readTable({
  file,
  text,
  usual,
  folder,
}: Table): Promise<readonly RowContent[]> {
  // Excel may write its separator into a first line of its own.
  const [own = '', given] = /^sep=(.)\r?\n/i.exec(text) ?? []
  const body = Buffer.from(text.slice(own.length))
  const delimiter = given ?? findSeparator(text.slice(own.length), usual)
  const lineAt = countLines(body, own === '' ? 1 : 2)
  const [first, ...others] = await parseCells(file, body, delimiter, lineAt)
  const titles = settleTitles(file, first?.record ?? [])
  const rows = others.map(({ record, info }, at): TableRow => {
    const line = lineAt((others[at - 1] ?? first ?? { info }).info.bytes)
    if (record.length !== titles.length)
      throw unusable(file, `line ${line}: ${sayLength(record.length, titles.length, delimiter)}`)
    const all = titles.map((title, of) => [title, record[of] ?? ''] as const)
    return { cells: Object.fromEntries(all), all, line }
  })
  refuseStrays(file, folder, cellsOf(titles, rows))
  return rows.map((row) => toContent(file, row))
}

async function parseCells(
  file: string,
  body: Buffer,
  delimiter: string,
  lineAt: (offset: number) => number,
): Promise<readonly Parsed[]> {
  const { parse, CsvError } = await import('csv-parse/sync')
  try {
    const found: readonly unknown[] = parse(body, {
      delimiter,
      info: true,
      record_delimiter: breakOf(body) === '\n' ? ['\r\n', '\n'] : ['\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    })
    return found.filter(isParsed)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // After the last cell that was read.
    const offset = Number(error['bytes'])
    const said = quoteFaults[error.code] ?? 'the row cannot be read'
    throw unusable(file, `line ${lineAt(offset)}: ${said}`, error, advice.quoteCell())
  }
}

/** With `info`, csv-parse returns more than its types say. */
function isParsed(found: unknown): found is Parsed {
  return typeof found === 'object' && found !== null && 'record' in found && 'info' in found
}

/** By the code of csv-parse. */
const quoteFaults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a cell begins with a quote (") that is never closed',
  INVALID_OPENING_QUOTE: 'a cell has a quote (") in its text and does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'a cell has more text behind the quote (") that closes it',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE:
    'a cell has more text behind the quote (") that closes it',
}

function sayLength(cells: number, titles: number, delimiter: string): string {
  const said = `it has ${count(cells, 'cell')}, and the table has ${count(titles, 'column')}`
  const separator = delimiter === '\t' ? 'a tab' : `"${delimiter}"`
  return cells < titles
    ? said
    : `${said}; a cell with ${separator} in its text needs quotes around it`
}

/** The line break: very old editors wrote a carriage return alone. */
function breakOf(body: Buffer): '\n' | '\r' {
  return body.includes('\n') ? '\n' : '\r'
}

/**
 * Counts the lines of a table: returns the line of the record at a byte offset, after empty lines.
 * Offsets must increase.
 *
 * @param first the line that it begins at
 */
function countLines(body: Buffer, first: number): (offset: number) => number {
  const end = breakOf(body)
  let [line, at] = [first, 0]
  const next = (): number => body.indexOf(end, at)
  return (offset) => {
    for (let found = next(); found !== -1 && found < offset; found = next()) {
      line += 1
      at = found + 1
    }
    let [empty, from] = [0, offset]
    for (let found = body.indexOf(end, from); found !== -1; found = body.indexOf(end, from)) {
      if (!/^[ \r]*$/.test(body.toString('latin1', from, found))) break
      empty += 1
      from = found + 1
    }
    return line + empty
  }
}

function cellsOf(
  titles: readonly string[],
  rows: readonly TableRow[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(titles.map((title) => [title, rows.map(({ cells }) => cells[title] ?? '')]))
}

function toContent(file: string, { cells, all, line }: TableRow): RowContent {
  const { folder, files, key, ...fields } = cells
  const filled = Object.entries(fields).filter(([, cell]) => cell !== '')
  const stray = filled.find(([column]) => isUntitled(column))
  if (stray) throw unusable(file, `line ${line}: "${stray[1]}" has no title above it`)
  const changes = filled.map((cell) => inColumn(file, line, cell[0], () => toChange(cell)))
  try {
    return {
      line,
      metadata: applyChanges({}, changes),
      folder: folder === '' ? undefined : folder,
      files: files ? files.split(separator) : [],
      key: key === '' ? undefined : key,
      cells: all,
    }
  } catch (error) {
    if (!(error instanceof UsageFailure)) throw error
    throw unusable(file, `line ${line}: ${error.said}`, error)
  }
}

/** @throws {UsageFailure} with the title of the column */
function inColumn<T>(file: string, line: number, title: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UsageFailure)) throw error
    throw unusable(file, `line ${line}, column "${title}": ${error.said}`, error)
  }
}

function toChange([column, cell]: readonly [string, string]): Change {
  const make = Object.hasOwn(lists, column) ? lists[column] : undefined
  if (make === undefined) return parseSet(`${column}=${cell}`)
  return { path: [column], value: cell.split(separator).map(make) }
}

function unusable(
  file: string,
  said: string,
  cause?: unknown,
  next: Advice = advice.correctInput(),
): UsageFailure {
  return new UsageFailure({ tried: `read ${file}`, said, next }, { cause })
}
