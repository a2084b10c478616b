import { advice, type Advice } from '../advice.ts'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import fields from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }
import { nearest } from '../../core/contract/nearest.ts'
import { UsageFailure } from '../failure.ts'

/** Columns that are no metadata. */
const reserved = ['folder', 'files', 'key'] as const

const separators = [',', ';', '\t']

/**
 * The separator of a table: the usual character, unless another one gives more titles. Spreadsheets
 * use the list separator of their country.
 *
 * @param text begins with the titles
 */
export function findSeparator(text: string, usual: string): string {
  const titles = firstLine(text)
  const counts = new Map(separators.map((one) => [one, titles.split(one).length]))
  const most = Math.max(...counts.values())
  return counts.get(usual) === most
    ? usual
    : (separators.find((one) => counts.get(one) === most) ?? usual)
}

/** The first line, without quoted text. */
function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text.replaceAll(/"(?:[^"]|"")*"/g, 'x'))?.[0] ?? ''
}

/**
 * Titles in their known case: `Folder` becomes `folder`. Each column without a title gets a name
 * that no title has: {@link isUntitled}.
 *
 * @throws {UsageFailure} two columns have the same title
 */
export function settleTitles(file: string, titles: readonly string[]): string[] {
  const settled = titles.map((title, at) => {
    const name = title.trim()
    if (name === '') return ` ${at}`
    return reserved.find((own) => own === name.toLowerCase()) ?? name
  })
  const twice = settled.find((title, at) => settled.indexOf(title) < at)
  if (twice === undefined) return settled
  throw refuse(file, `two columns are called "${twice}"`, advice.leaveColumn())
}

export function isUntitled(column: string): boolean {
  return column.startsWith(' ')
}

/** Cells of each column that is neither a metadata pointer nor one of {@link reserved}. */
export type Cells = ReadonlyMap<string, readonly string[]>

/**
 * Refuses a column that was probably meant to be `folder` or `files`: its title is similar, or its
 * cells name files that exist. Its rows would be published without files.
 *
 * @param folder where relative paths start
 * @throws {UsageFailure} naming the column, and what was meant
 */
export function refuseStrays(file: string, folder: string, cells: Cells): void {
  const hasFiles = cells.has('folder') || cells.has('files')
  for (const [title, values] of cells) {
    if (isKnown(title)) continue
    if (title.startsWith('access') && title.includes('{')) {
      const said = `a batch has no column "${title}": values are in the rows`
      throw refuse(file, said, advice.correctAccessOfRows())
    }
    const meant = nearest(title, reserved) ?? (hasFiles ? undefined : meantByPaths(folder, values))
    if (meant === undefined) continue
    const said = `a batch has no column "${title}"; did you mean "${meant}"?`
    throw refuse(file, said, advice.renameColumn(title))
  }
}

function isKnown(title: string): boolean {
  if (isUntitled(title) || title.startsWith('/') || title.endsWith(':')) return true
  return Object.hasOwn(fields.properties, title) || reserved.some((own) => own === title)
}

function meantByPaths(folder: string, values: readonly string[]): 'folder' | 'files' | undefined {
  const [first, ...others] = values
    .filter((value) => value !== '')
    .map((one) => resolve(folder, one))
  if (first === undefined || ![first, ...others].every((path) => existsSync(path))) return undefined
  return statSync(first).isDirectory() ? 'folder' : 'files'
}

function refuse(file: string, said: string, next: Advice): UsageFailure {
  return new UsageFailure({ tried: `read ${file}`, said, next })
}
