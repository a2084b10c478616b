import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { UsageFailure } from '../failure.ts'
import { reasonOf } from '../reason.ts'
import { decodeText } from '../text-file.ts'
import { readTable } from './read-table.ts'
import { toRows, type Row, type RowContent } from './row.ts'

/**
 * The rows of a batch: a table (`.csv`, `.tsv`), a JSON document a line (`.jsonl`, `.ndjson`), or
 * YAML documents with `---` between, which may be lists.
 *
 * @throws {UsageFailure} it cannot be read, with the place of the fault
 */
export async function readRows(folder: string, file: string): Promise<readonly Row[]> {
  const bytes = await readFile(resolve(folder, file)).catch((error: unknown) =>
    unusable(file, reasonOf(error)),
  )
  const rows = toRows(await parse(file, decodeText(bytes, file)))
  return rows.length > 0 ? rows : unusable(file, 'there is no row in it')
}

async function parse(file: string, text: string): Promise<readonly RowContent[]> {
  switch (extname(file).toLowerCase()) {
    case '.csv':
      return readTable(file, text, ',')
    case '.tsv':
      return readTable(file, text, '\t')
    case '.jsonl':
    case '.ndjson':
      return readLines(file, text)
    case '.yaml':
    case '.yml':
    case '.json':
      return readDocuments(file, text)
  }
  return unusable(file, 'its name ends in none of .csv, .tsv, .jsonl, .yaml and .json')
}

function readLines(file: string, text: string): readonly RowContent[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    try {
      const document: unknown = JSON.parse(line)
      return toContent(file, document, at + 1)
    } catch (error) {
      if (error instanceof UsageFailure) throw error
      return unusable(file, `line ${at + 1}: ${error instanceof Error ? error.message : ''}`)
    }
  })
}

async function readDocuments(file: string, text: string): Promise<readonly RowContent[]> {
  const { parseYaml } = await import('../metadata/read-metadata.ts')
  const documents = await parseYaml(file, text)
  return documents.flat().map((document, at) => toContent(file, document, at + 1))
}

/** A document is its metadata, or has them in `metadata` beside `folder`, `files` and `key`. */
function toContent(file: string, document: unknown, number: number): RowContent {
  if (!isObject(document)) return unusable(file, `row ${number} is not a document`)
  const { folder, files, key, ...rest } = document
  const { metadata = rest } = rest
  if (!isObject(metadata)) return unusable(file, `row ${number}: metadata is not a document`)
  if (folder !== undefined && typeof folder !== 'string')
    return unusable(file, `row ${number}: folder is not text`)
  const listed = typeof files === 'string' ? [files] : (files ?? [])
  if (!isTexts(listed)) return unusable(file, `row ${number}: files is not a list of texts`)
  if (key !== undefined && typeof key !== 'string' && typeof key !== 'number')
    return unusable(file, `row ${number}: key is neither text nor a number`)
  return { metadata, folder, files: listed, key: key?.toString() }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unusable(file: string, said: string): never {
  const next = 'correct it and run the command again; nothing was sent'
  throw new UsageFailure({ tried: `read ${file}`, said, next })
}
