import { UsageFailure } from '../failure.ts'
import { applyChanges, parseSet } from '../metadata/change.ts'
import type { RowContent } from './row.ts'

/** Between several values in one cell. */
const separator = /\s*;\s*/

/** Columns that hold lists. */
const lists: Readonly<Record<string, (name: string) => unknown>> = {
  keywords: (keyword) => keyword,
  creators: (name) => ({ name }),
  contributors: (name) => ({ name }),
}

/**
 * A table with titles: each column is a field of the metadata, or a JSON Pointer into them. One
 * whose title ends in `:` holds JSON. `folder`, `files` and `key` are ours. Empty cells say nothing.
 *
 * @throws {UsageFailure} with the line of the fault
 */
export async function readTable(
  file: string,
  text: string,
  delimiter: string,
): Promise<readonly RowContent[]> {
  const { parse, CsvError } = await import('csv-parse/sync')
  try {
    const rows: readonly Record<string, string>[] = parse(text, {
      bom: true,
      columns: true,
      delimiter,
      skip_empty_lines: true,
      trim: true,
    })
    return rows.map(toContent)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const next = 'correct it and run the command again; nothing was sent'
    throw new UsageFailure({ tried: `read ${file}`, said: error.message, next }, { cause: error })
  }
}

function toContent(row: Readonly<Record<string, string>>): RowContent {
  const { folder, files, key, ...fields } = row
  const filled = Object.entries(fields).filter(([, cell]) => cell !== '')
  const changes = filled.map(([column, cell]) => {
    const make = Object.hasOwn(lists, column) ? lists[column] : undefined
    if (make === undefined) return parseSet(`${column}=${cell}`)
    return { path: [column], value: cell.split(separator).map(make) }
  })
  return {
    metadata: applyChanges({}, changes),
    folder: folder === '' ? undefined : folder,
    files: files ? files.split(separator) : [],
    key: key === '' ? undefined : key,
  }
}
