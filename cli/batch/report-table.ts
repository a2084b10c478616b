import { open, realpath, stat } from 'node:fs/promises'
import { extname, resolve, sep } from 'node:path'
import { isMissing } from '../../core/base/errno.ts'
import { writeTextDurably } from '../../core/base/durable-files.ts'
import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { noWrite } from '../no-write.ts'
import { reasonOf } from '../reason.ts'
import { isUntitled } from './columns.ts'
import type { Entry } from './journal.ts'
import { describeRow, type Row } from './row.ts'
import { toOutcome, type Outcome } from './run-batch.ts'

/** Columns behind those of the batch. */
const added = ['id', 'url', 'status', 'message'] as const

interface Place {
  /** Where relative paths on the command line start. */
  readonly folder: string
  /** The batch. */
  readonly table: string
  readonly journal: string
  readonly rows: readonly Row[]
}

/**
 * The file of `--report`: the columns of the batch, and the deposit, address, status and message of
 * each row. It is replaced as a whole.
 */
export class ReportTable {
  readonly #path: string
  readonly #separator: string
  readonly #rows: readonly Row[]

  private constructor(path: string, rows: readonly Row[]) {
    this.#path = path
    this.#separator = separatorOf(path)
    this.#rows = rows
  }

  /**
   * @param file as the user named it
   * @throws {UsageFailure} the file is something else than a report, or would be uploaded
   */
  static async at(file: string, { folder, table, journal, rows }: Place): Promise<ReportTable> {
    const tried = `write the report to ${file}`
    const named = resolve(folder, file)
    const path = await realpath(named).catch(() => named)
    const refuse = (said: string): never => {
      throw new UsageFailure({ tried, said, next: advice.nameReport() })
    }
    if (path === journal || (await isSame(path, journal))) refuse('it is the journal of the batch')
    if (await isSame(path, table)) refuse('it is the table of the batch')
    if (!/^(?:\.(?:csv|tsv|txt))?$/i.test(extname(file)))
      refuse(`a report is written as .csv or .tsv, not as ${extname(file)}`)
    if (!(await isReport(path).catch((error: unknown) => refuse(reasonOf(error)))))
      refuse('there is a file of that name, which is no report of a batch')
    const holder = rows.find((row) => holds(table, row, path))
    if (holder !== undefined) refuse(`it would be uploaded with ${describeRow(holder)}`)
    return new ReportTable(path, rows)
  }

  /**
   * Durable when resolved.
   *
   * @param kept as in a failure to write
   * @throws {Failure} the disk is full, or the folder cannot be written
   */
  async write(outcomes: readonly Outcome[], kept: string): Promise<void> {
    const columns = [...new Set(this.#rows.flatMap(({ cells }) => cells.map(([name]) => name)))]
    const own = added.map((name) => freeName(name, columns))
    const titles = [...columns.map((name) => (isUntitled(name) ? '' : name)), ...own]
    const lines = outcomes.map(({ row, id, url, status, message }) => {
      const cells = new Map(row.cells)
      return [...columns.map((name) => toCell(cells.get(name))), id, url, status, message]
    })
    const text = [titles, ...lines].map((line) => this.#toLine(line)).join('')
    try {
      await writeTextDurably(this.#path, text, 0o666)
    } catch (error) {
      const place = { tried: 'write the report', path: this.#path, kept }
      throw noWrite(error, { ...place, elsewhere: advice.nameReport() }) ?? error
    }
  }

  #toLine(cells: readonly (string | null)[]): string {
    const needsQuotes = new RegExp(`["\\r\\n${this.#separator}]|^\\s|\\s$`, 'u')
    const written = cells.map((cell) =>
      cell !== null && needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : (cell ?? ''),
    )
    return `${written.join(this.#separator)}\r\n`
  }
}

/** Undefined without `--report`, and for a dry run, which only checks its place. */
export async function findReport(
  place: Place,
  { report, dryRun }: { readonly report?: string; readonly dryRun?: true },
): Promise<ReportTable | undefined> {
  if (report === undefined) return undefined
  const table = await ReportTable.at(report, place)
  return dryRun ? undefined : table
}

/**
 * Rows as the journal has them, before anything is sent.
 *
 * @param refused the faults of rows
 */
export function outcomesBefore(
  rows: readonly Row[],
  entries: ReadonlyMap<string, Entry>,
  refused: ReadonlyMap<Row, string> = new Map(),
): readonly Outcome[] {
  return rows.map((row) => {
    const entry = entries.get(row.identity)
    const message = refused.get(row)
    if (message !== undefined) return { ...toOutcome(row, 'failed', entry), message }
    return toOutcome(row, entry?.done === undefined ? 'not done' : 'already done', entry)
  })
}

function separatorOf(path: string): string {
  return extname(path).toLowerCase() === '.tsv' ? '\t' : ','
}

/** A column of the batch keeps its name. */
function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`deposit_${name}`, taken) : name
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Also by another name: a link, or in other case. */
async function isSame(path: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all(
    [path, other].map((each) => stat(each).catch(() => undefined)),
  )
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev
}

/** True for an earlier report, an empty file, and no file. */
async function isReport(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r')
    const stats = await file.stat()
    if (!stats.isFile()) return false
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100_000))
    const [titles = ''] = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/)
    const ends = added.map((name) => `(?:deposit_)*${name}`).join(separatorOf(path))
    return stats.size === 0 || new RegExp(`${ends}$`).test(titles)
  } catch (error) {
    if (isMissing(error)) return true
    throw error
  }
}

/** @param table relative paths of the row start in its folder */
function holds(table: string, { folder, files }: Row, path: string): boolean {
  const base = resolve(table, '..')
  const places = [...(folder === undefined ? [] : [folder]), ...files].map((one) =>
    resolve(base, one),
  )
  return places.some((place) => path === place || path.startsWith(place + sep))
}
