import { isJsonObject } from '../../core/base/json.ts'
import { advice } from '../advice.ts'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Input } from '../metadata/read-metadata.ts'
import { dirname, extname, resolve } from 'node:path'
import { UsageFailure } from '../failure.ts'
import { readJson } from '../metadata/json-text.ts'
import { reasonOf } from '../reason.ts'
import { decodeText } from '../text-file.ts'
import { refuseStrays } from './columns.ts'
import { readTable } from './read-table.ts'
import { toRows, type Row, type RowContent } from './row.ts'

/**
 * The rows of a batch: a table (`.csv`, `.tsv`), a JSON document on each line (`.jsonl`,
 * `.ndjson`), or YAML documents with `---` between, which may be lists. `-` is standard input, whose
 * form is seen from its text.
 *
 * @throws {UsageFailure} it cannot be read, with the place of the fault
 */
export async function readRows(
  { folder, stdin }: Pick<Input, 'folder' | 'stdin'>,
  file: string,
): Promise<readonly Row[]> {
  const path = resolve(folder, file)
  const shown = file === '-' ? 'standard input' : file
  const read = file === '-' ? buffer(stdin) : readFile(path)
  const bytes = await read.catch((error: unknown) => unusable(shown, reasonOf(error)))
  const text = decodeText(bytes, shown)
  const extension = file === '-' ? extensionFor(text) : extname(file).toLowerCase()
  const contents = await parse({ file: shown, text, extension }, dirname(path))
  return contents.length > 0 ? toRows(shown, contents) : unusable(shown, 'it has no rows')
}

/** A table has commas, semicolons or tabs; none begins like JSON or YAML. */
function extensionFor(text: string): string {
  const start = text.trimStart()
  if (start.startsWith('{')) return '.jsonl'
  return start.startsWith('[') || start.startsWith('---') ? '.yaml' : '.csv'
}

interface Text {
  readonly file: string
  readonly text: string
  /** In lower case, with its dot. */
  readonly extension: string
}

/** @param folder where relative paths start */
async function parse(
  { file, text, extension }: Text,
  folder: string,
): Promise<readonly RowContent[]> {
  switch (extension) {
    case '.csv':
      return readTable({ file, text, usual: ',', folder })
    case '.tsv':
      return readTable({ file, text, usual: '\t', folder })
    case '.jsonl':
    case '.ndjson':
      return toContents(file, folder, readLines(file, text))
    case '.yaml':
    case '.yml':
    case '.json':
      return toContents(file, folder, await readDocuments(file, text))
  }
  return unusable(file, 'its name ends in none of .csv, .tsv, .jsonl, .yaml and .json')
}

/** A document, and its first line where known. */
interface Found {
  readonly document: unknown
  readonly line: number | undefined
}

function readLines(file: string, text: string): readonly Found[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const read = readJson(line)
    if ('value' in read) return { document: read.value, line: at + 1 }
    const column = read.at === undefined ? '' : `, column ${read.at + 1}`
    return unusable(file, `line ${at + 1}${column}: ${read.said}`)
  })
}

async function readDocuments(file: string, text: string): Promise<readonly Found[]> {
  const { parseParts } = await import('../metadata/read-metadata.ts')
  const parts = await parseParts(file, text)
  return parts.flatMap(({ value, lines }) =>
    [value].flat().map((document: unknown, at) => ({ document, line: lines[at] })),
  )
}

function toContents(file: string, folder: string, found: readonly Found[]): readonly RowContent[] {
  const cells = new Map<string, string[]>()
  for (const { document } of found) {
    if (!isJsonObject(document) || document['metadata'] !== undefined) continue
    for (const [name, value] of Object.entries(document)) {
      const known = cells.get(name) ?? []
      cells.set(name, known)
      known.push(typeof value === 'string' ? value : '')
    }
  }
  refuseStrays(file, folder, cells)
  return found.map((one, at) => toContent(file, one, at + 1))
}

/** A document is its metadata, or has them in `metadata` beside `folder`, `files` and `key`. */
function toContent(file: string, { document, line }: Found, number: number): RowContent {
  if (!isJsonObject(document)) return unusable(file, `row ${number} is not a document`)
  const { folder, files, key, ...rest } = document
  const { metadata = rest, ...beside } = rest
  const stray = Object.keys(rest === metadata ? {} : beside)
  if (stray.length > 0)
    return unusable(file, `row ${number}: ${stray.join(', ')} beside metadata, and not in it`)
  if (!isJsonObject(metadata)) return unusable(file, `row ${number}: metadata is not a document`)
  if (folder !== undefined && typeof folder !== 'string')
    return unusable(file, `row ${number}: folder is not text`)
  const listed = typeof files === 'string' ? [files] : (files ?? [])
  if (!isTexts(listed))
    return unusable(file, `row ${number}: \`files\` must be a list of file names`)
  if (key !== undefined && typeof key !== 'string' && typeof key !== 'number')
    return unusable(file, `row ${number}: key is neither text nor a number`)
  const cells = Object.entries(document)
  return { line, metadata, folder, files: listed, key: key?.toString(), cells }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function unusable(file: string, said: string): never {
  const next = advice.correctInput()
  throw new UsageFailure({ tried: `read ${file}`, said, next })
}
