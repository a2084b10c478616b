import { advice, type Advice } from '../advice.ts'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import fields from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }
import { nearest } from '../../core/contract/nearest.ts'
import { UsageFailure } from '../failure.ts'

/** Columns that are ours, and no metadata. */
const reserved = ['folder', 'files', 'key'] as const

const separators = [',', ';', '\t']

/**
 * What separates the cells of a table: the usual character, unless another one makes more of the
 * titles. A spreadsheet writes what its country has between numbers.
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

/** Without what stands in quotes. */
function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text.replaceAll(/"(?:[^"]|"")*"/g, 'x'))?.[0] ?? ''
}

/**
 * Titles as they are known: `Folder` is `folder`. Each column without one gets a name that no title
 * has: {@link isUntitled}.
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

/** Cells of each column or field that is no metadata pointer, and was not taken for one of ours. */
export type Cells = ReadonlyMap<string, readonly string[]>

/**
 * A column that was meant to be `folder` or `files` and is not would publish rows without their
 * files: one whose title is near, or whose cells are files and folders that are there.
 *
 * @param folder where relative paths start
 * @throws {UsageFailure} naming the column, and what was meant
 */
export function refuseStrays(file: string, folder: string, cells: Cells): void {
  const hasFiles = cells.has('folder') || cells.has('files')
  for (const [title, values] of cells) {
    if (isKnown(title)) continue
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
