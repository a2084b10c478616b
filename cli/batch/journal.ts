import { syncFolder } from '../../core/base/durable-files.ts'
import { advice } from '../advice.ts'
import { randomUUID } from 'node:crypto'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { takeLock } from '../../core/base/file-lock.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { noWrite } from '../no-write.ts'
import { count, firstOf } from '../output/units.ts'
import { filesOf, labelOf, type Row } from './row.ts'
import { isMissing } from '../../core/base/errno.ts'

/** The state of a row. */
export interface Entry {
  /** Identity of the row. */
  readonly row: string
  /** Idempotency key of its requests. */
  readonly key: string
  /** Its label, for a person; absent in older journals. */
  readonly name?: string
  /** Of a row without a key: where its files lie. */
  readonly place?: string
  /** The draft. */
  readonly id?: string
  /** Digest of the metadata it was made from. */
  readonly content?: string
  /** Digest of the names and sizes of its files. */
  readonly files?: string
  /** Digest of the names and bytes of its files, as they were sent; absent in older journals. */
  readonly bytes?: string
  /** Address of the record. */
  readonly url?: string
  /** The published row, while a draft of the next version is changed to match the row. */
  readonly former?: FormerVersion
  /** A published deposit is being edited, to be published with the changed row. */
  readonly updating?: true
  /** All of it was sent, and published if requested. */
  readonly done?: 'draft' | 'published'
}

/** A published deposit, and digests of what it was made from. */
export interface FormerVersion {
  readonly id: string
  readonly content: string
  readonly files: string
  readonly bytes?: string
  readonly url?: string
}

/**
 * The steps of a batch, in a file beside its table: a line for each step, written to disk before
 * the next one. The last line of a row counts, so a killed batch resumes where it stopped.
 */
export class Journal implements AsyncDisposable {
  readonly #file: FileHandle
  readonly #lock: AsyncDisposable
  readonly #entries: Map<string, Entry>
  #written: Promise<void> = Promise.resolve()
  /** Lines that wait while others are written; they share one sync. */
  #group: Group | undefined

  private constructor(file: FileHandle, lock: AsyncDisposable, entries: Map<string, Entry>) {
    this.#file = file
    this.#lock = lock
    this.#entries = entries
  }

  /**
   * @param server where the deposits are; a journal is good for one
   * @throws {Failure} another command is at it, or it cannot be written
   */
  static async open(path: string, server: JournalServer): Promise<Journal> {
    try {
      return await Journal.#openHere(path, server)
    } catch (error) {
      const kept = 'nothing was sent'
      throw journalUnwritten(error, path, kept) ?? error
    }
  }

  static async #openHere(path: string, server: JournalServer): Promise<Journal> {
    // The first attempt removes the lock of a killed command.
    const lock = (await takeLock(`${path}.lock`)) ?? (await takeLock(`${path}.lock`))
    if (lock === undefined) throw inUse(path)
    try {
      const { entries } = await readJournal(path)
      const file = await open(path, 'a', 0o600)
      const journal = new Journal(file, lock, new Map(entries))
      // Begins with a line break: the last line may be cut off in the middle.
      await journal.#append(`\n${JSON.stringify(server)}\n`)
      await syncFolder(dirname(path))
      return journal
    } catch (error) {
      await lock[Symbol.asyncDispose]()
      throw error
    }
  }

  find(row: string): Entry | undefined {
    return this.#entries.get(row)
  }

  /** The entry of a row, made if missing. Durable when resolved. */
  async begin(row: Row): Promise<Entry> {
    const name = labelOf(row)
    const place = filesOf(row)
    const begun = {
      row: row.identity,
      key: randomUUID(),
      ...(name !== undefined && { name }),
      ...(place !== undefined && { place }),
    }
    return this.find(row.identity) ?? this.note(begun)
  }

  /** Durable when resolved; where it fails, it still counts for the outcome of this batch. */
  async note(entry: Entry): Promise<Entry> {
    this.#entries.set(entry.row, entry)
    await this.#append(`${JSON.stringify(entry)}\n`)
    return entry
  }

  /** Notes an entry to which something was added, unless another command has changed it since. */
  async complete(entry: Entry): Promise<void> {
    const { bytes: _, ...before } = entry
    if (isDeepStrictEqual(this.find(entry.row), before)) await this.note(entry)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#written.catch(() => {})
    await this.#file.close()
    await this.#lock[Symbol.asyncDispose]()
  }

  #append(text: string): Promise<void> {
    if (this.#group) {
      this.#group.text += text
      return this.#group.written
    }
    const write = async (): Promise<void> => {
      this.#group = undefined
      await this.#file.writeFile(group.text)
      await this.#file.datasync()
    }
    const group: Group = { text, written: this.#written.then(write) }
    this.#group = group
    this.#written = group.written.catch(() => {})
    return group.written
  }
}

interface Group {
  text: string
  readonly written: Promise<void>
}

/** The server that has the deposits of a journal. */
export interface JournalServer {
  /** Its origin. */
  readonly server: string
  /** Undefined where none was named. */
  readonly endpoint?: string
}

/** The entries of a journal, by row, and its server; empty if the journal is missing. */
export async function readJournal(path: string): Promise<{
  readonly server?: string
  readonly entries: ReadonlyMap<string, Entry>
}> {
  const lines = await readLines(path)
  const server = lines.find((line) => 'server' in line)?.['server']
  const entries = new Map(lines.flatMap(toEntry))
  return { entries, ...(typeof server === 'string' && { server }) }
}

type Line = Readonly<Record<string, unknown>>

async function readLines(path: string): Promise<readonly Line[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
  return text.split('\n').flatMap((line) => parseLine(line))
}

/** Skips a line that was cut off when the machine stopped. */
function parseLine(line: string): readonly Line[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? [{ ...value }] : []
  } catch {
    return []
  }
}

function toEntry(line: Line): readonly (readonly [string, Entry])[] {
  const { row, key, name, place, id, content, files, bytes, url, updating, former, done } = line
  if (typeof row !== 'string' || typeof key !== 'string') return []
  const isMade = typeof id === 'string' && typeof content === 'string'
  return [
    [
      row,
      {
        row,
        key,
        ...(typeof name === 'string' ? { name } : {}),
        ...(typeof place === 'string' ? { place } : {}),
        ...(isMade ? { id, content } : {}),
        ...(typeof files === 'string' ? { files } : {}),
        ...(typeof bytes === 'string' ? { bytes } : {}),
        ...(typeof url === 'string' ? { url } : {}),
        ...(updating === true ? { updating } : {}),
        ...(isFormer(former) ? { former } : {}),
        ...(done === 'draft' || done === 'published' ? { done } : {}),
      },
    ],
  ]
}

function isFormer(value: unknown): value is FormerVersion {
  const { id, content, files, bytes = '', url = '' } = (value ?? {}) as Partial<FormerVersion>
  return [id, content, files, bytes, url].every((part) => typeof part === 'string')
}

/**
 * Recognises rows without a key that were changed: one whose files lie where those of a row did that
 * is in the journal alone is that row.
 */
export function recognise(
  entries: ReadonlyMap<string, Entry>,
  rows: readonly Row[],
): readonly Row[] {
  const present = new Set(rows.map(({ identity }) => identity))
  const lost = [...entries.values()].filter(({ row, id }) => id !== undefined && !present.has(row))
  const lostAt = Map.groupBy(lost, ({ place }) => place)
  const newAt = Map.groupBy(
    rows.filter(({ identity }) => !entries.has(identity)),
    filesOf,
  )
  return rows.map((row) => {
    const place = filesOf(row)
    const [before, ...others] = place === undefined ? [] : (lostAt.get(place) ?? [])
    const isAlone = others.length === 0 && newAt.get(place)?.length === 1
    if (!before || !isAlone || entries.has(row.identity)) return row
    return { ...row, identity: before.row }
  })
}

/** A note on rows with a deposit that the table does not have any more; undefined without one. */
export function describeDropped(
  entries: ReadonlyMap<string, Entry>,
  rows: readonly Row[],
): string | undefined {
  const present = new Set(rows.map(({ identity }) => identity))
  const dropped = [...entries.values()].flatMap(({ row, id, name }) =>
    id === undefined || present.has(row) ? [] : [name ?? id],
  )
  if (dropped.length === 0) return undefined
  const names = firstOf(dropped, mostNamed).join(', ')
  const are = dropped.length === 1 ? 'is' : 'are'
  return `${count(dropped.length, 'row')} of the journal ${are} no longer in the table: ${names}`
}

const mostNamed = 5

/** Undefined for an error that is not of the disk. */
export function journalUnwritten(error: unknown, path: string, kept: string): Failure | undefined {
  const elsewhere = advice.moveJournal()
  return noWrite(error, { tried: 'write the journal of the batch', path, kept, elsewhere })
}

function inUse(path: string): Failure {
  const said = 'another command is already running this batch'
  const next = advice.waitForOther()
  return new Failure({ tried: `open ${path}`, said, next }, { exitCode: exitCodes.refused })
}
