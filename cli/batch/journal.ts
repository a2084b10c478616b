import { advice } from '../advice.ts'
import { randomUUID } from 'node:crypto'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { takeLock } from '../../core/base/file-lock.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { isMissing } from '../../core/base/errno.ts'

/** What is known of a row. */
export interface Entry {
  /** Identity of the row. */
  readonly row: string
  /** Its requests are made once under this key. */
  readonly key: string
  /** The draft that was made. */
  readonly id?: string
  /** Digest of the metadata that it was made of. */
  readonly content?: string
  /** Digest of the names and sizes of its files. */
  readonly files?: string
  /** Where the record is. */
  readonly url?: string
  /** The published row, while the draft of a next version is changed to match the new one. */
  readonly former?: FormerVersion
  /** A published deposit was opened, to be published with the row as it is now. */
  readonly updating?: true
  /** Everything has arrived, and was published where that was asked for. */
  readonly done?: 'draft' | 'published'
}

/** A published deposit, and what it was made of. */
export interface FormerVersion {
  readonly id: string
  readonly content: string
  readonly files: string
  readonly url?: string
}

/**
 * What a batch has done, beside its file: a line for each step, on the disk before the next step.
 * The last line of a row counts, so a batch that was killed goes on where it was.
 */
export class Journal implements AsyncDisposable {
  readonly #file: FileHandle
  readonly #lock: AsyncDisposable
  readonly #entries: Map<string, Entry>
  #written: Promise<void> = Promise.resolve()

  private constructor(file: FileHandle, lock: AsyncDisposable, entries: Map<string, Entry>) {
    this.#file = file
    this.#lock = lock
    this.#entries = entries
  }

  /**
   * @param server where the deposits are; a journal is good for one
   * @throws {Failure} another command is at it
   */
  static async open(path: string, server: JournalServer): Promise<Journal> {
    // The first look removes a lock that a killed command has left.
    const lock = (await takeLock(`${path}.lock`)) ?? (await takeLock(`${path}.lock`))
    if (lock === undefined) throw inUse(path)
    try {
      const { entries } = await readJournal(path)
      const file = await open(path, 'a', 0o600)
      const journal = new Journal(file, lock, new Map(entries))
      // A line that was cut off in the middle is ended: it does not spoil the next one.
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

  /** The entry of a row; made where there is none. On the disk when it is answered. */
  async begin(row: string): Promise<Entry> {
    return this.find(row) ?? this.note({ row, key: randomUUID() })
  }

  /** On the disk when it is answered. */
  async note(entry: Entry): Promise<Entry> {
    await this.#append(`${JSON.stringify(entry)}\n`)
    this.#entries.set(entry.row, entry)
    return entry
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#written.catch(() => {})
    await this.#file.close()
    await this.#lock[Symbol.asyncDispose]()
  }

  #append(text: string): Promise<void> {
    const written = this.#written.then(async () => {
      await this.#file.writeFile(text)
      await this.#file.datasync()
    })
    this.#written = written.catch(() => {})
    return written
  }
}

/** The server that has the deposits of a journal. */
export interface JournalServer {
  /** Its origin. */
  readonly server: string
  /** Undefined where none was named. */
  readonly endpoint?: string
}

/** The entries of a journal, by row, and the server that it was begun at; none where it is missing. */
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

/** What cannot be read was being written when the machine stopped. */
function parseLine(line: string): readonly Line[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? [{ ...value }] : []
  } catch {
    return []
  }
}

function toEntry(line: Line): readonly (readonly [string, Entry])[] {
  const { row, key, id, content, files, url, updating, former, done } = line
  if (typeof row !== 'string' || typeof key !== 'string') return []
  const isMade = typeof id === 'string' && typeof content === 'string'
  return [
    [
      row,
      {
        row,
        key,
        ...(isMade ? { id, content } : {}),
        ...(typeof files === 'string' ? { files } : {}),
        ...(typeof url === 'string' ? { url } : {}),
        ...(updating === true ? { updating } : {}),
        ...(isFormer(former) ? { former } : {}),
        ...(done === 'draft' || done === 'published' ? { done } : {}),
      },
    ],
  ]
}

function isFormer(value: unknown): value is FormerVersion {
  const { id, content, files, url = '' } = (value ?? {}) as Partial<FormerVersion>
  return [id, content, files, url].every((part) => typeof part === 'string')
}

/** So that the journal's name is as durable as its lines; not every platform opens a folder. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

function inUse(path: string): Failure {
  const said = 'another command is already running this batch'
  const next = advice.waitForOther()
  return new Failure({ tried: `open ${path}`, said, next }, { exitCode: exitCodes.refused })
}
