import type Sqlite from 'better-sqlite3'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { isProblem, problem } from '../../errors/errors.ts'
import type { BlobId } from '../../files/file.ts'
import type { StoredBlob, StoreFault } from '../../ports/blob-store.ts'
import { FileReader, versionOf } from '../sqlite/connect.ts'
import { GroupCommit } from '../sqlite/group-commit.ts'
import { inspectFile, openSqliteWriter } from '../sqlite/open-file.ts'
import { isSqliteError } from '../sqlite/sqlite-errors.ts'
import { DatabaseTooNew } from '../../ports/upkeep.ts'
import type { StorageHealth } from '../storage-health.ts'

/**
 * Bytes. Blobs up to this size are rows: simultaneous writes share one sync, where each file would
 * need two of its own. Past this size a file is as fast, and costs the event loop less:
 * a row passes through it, and is written twice (to the log, and from there into place).
 *
 * @see https://www.sqlite.org/intern-v-extern-blob.html
 */
export const smallLimit = 64 * 1024

/** Version of the schema, kept in the file. */
const schemaVersion = 1

const schema = `
  BEGIN IMMEDIATE;
  CREATE TABLE blobs (id TEXT PRIMARY KEY, written INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
  PRAGMA user_version = ${schemaVersion};
  COMMIT`

/** Rows listed by one query: no query may stay open while others write. */
const pageLength = 1000

/** Bytes removed after which their room is given back. */
const freedEnough = 1024 * 1024

interface Listed {
  readonly id: BlobId
  readonly size: number
  /** Milliseconds since 1970. */
  readonly written: number
}

/** An open file: its connections, and the statements that are prepared on them. */
interface OpenFile {
  readonly reader: FileReader
  readonly group: GroupCommit
  readonly insert: Sqlite.Statement<[BlobId, number, Buffer]>
  readonly remove: Sqlite.Statement<[BlobId]>
  readonly bytes: Sqlite.Statement<[BlobId], Buffer>
  readonly size: Sqlite.Statement<[BlobId], number>
  readonly page: Sqlite.Statement<[string, number], Listed>
  readonly connections: Disposable
}

/**
 * Small blobs, as rows of a database file of their own that is written in group commit. Where the
 * file is damaged from the beginning the storage is degraded, and nothing small can be read.
 */
export class SmallBlobs implements AsyncDisposable {
  readonly #path: string
  readonly #file: OpenFile | undefined
  /** Blobs whose removal met a full disk. */
  readonly #unwanted = new Set<BlobId>()
  #freed = 0

  private constructor(path: string, file: OpenFile | undefined) {
    this.#path = path
    this.#file = file
  }

  /**
   * Opens the file at `path`, which is made where it is missing.
   *
   * @throws {DatabaseTooNew} a newer program has made it
   */
  static async open(
    path: string,
    health: StorageHealth,
    report: (error: unknown) => void,
  ): Promise<SmallBlobs> {
    try {
      return new SmallBlobs(path, await openFile(path, health, report))
    } catch (error) {
      if (!isCorrupt(error)) throw error
      report(error)
      health.fail(error)
      return new SmallBlobs(path, undefined)
    }
  }

  /** Answers once the bytes are durable. */
  async write(id: BlobId, bytes: Buffer): Promise<void> {
    const { group, insert } = this.#requireFile()
    await group.run(async () => {
      insert.run(id, Date.now(), bytes)
      return () => {}
    })
  }

  /** @throws {DepositError} damaged_file: the row or its page cannot be read */
  read(id: BlobId): Buffer | undefined {
    return this.#ask(({ bytes }) => bytes.get(id))
  }

  /** False also where the row cannot be read. */
  has(id: BlobId): boolean {
    return this.knownSize(id) !== undefined
  }

  /** Bytes of the blob; undefined where there is none, or its row cannot be read. */
  knownSize(id: BlobId): number | undefined {
    try {
      return this.#size(id)
    } catch (error) {
      if (isProblem(error, 'damaged_file')) return undefined
      throw error
    }
  }

  /** @throws {DepositError} storage_full: there is no room to say so; {@link catchUp} does it later */
  async remove(id: BlobId): Promise<void> {
    this.#freed += this.#size(id) ?? 0
    try {
      await this.#removeAll([id])
    } catch (error) {
      if (isProblem(error, 'storage_full')) this.#unwanted.add(id)
      throw error
    }
    if (this.#freed < freedEnough) return
    this.#freed = 0
    void this.saveRoom()
  }

  /** Removes what could not be removed before. */
  async catchUp(): Promise<void> {
    if (this.#unwanted.size > 0) await this.#removeAll([])
  }

  /** Gives back what the log and removed blobs take; answers when that is done. */
  async saveRoom(): Promise<void> {
    await this.#file?.group.carryOver()
  }

  /** Ends where the file is damaged: the rows after that cannot be read. */
  *list(): Iterable<StoredBlob> {
    let last = ''
    for (;;) {
      const rows = this.#page(last)
      for (const { id, size, written } of rows) {
        yield { id, size, modified: new Date(written) }
        last = id
      }
      if (rows.length < pageLength) return
    }
  }

  /** Faults that SQLite itself finds; bytes have no digests here. */
  async inspect(): Promise<readonly StoreFault[]> {
    const messages = await inspectFile(this.#path)
    return messages.map((message) => ({ name: this.#path, message }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.group[Symbol.asyncDispose]()
    this.#file?.connections[Symbol.dispose]()
  }

  async #removeAll(further: readonly BlobId[]): Promise<void> {
    const { group, remove } = this.#requireFile()
    const ids = [...this.#unwanted, ...further]
    await group.run(async () => {
      for (const id of ids) remove.run(id)
      return () => {}
    })
    for (const id of ids) this.#unwanted.delete(id)
  }

  #size(id: BlobId): number | undefined {
    return this.#ask(({ size }) => size.get(id))
  }

  #page(after: string): readonly Listed[] {
    try {
      return this.#ask(({ page }) => page.all(after, pageLength))
    } catch (error) {
      if (isProblem(error, 'damaged_file')) return []
      throw error
    }
  }

  #ask<Answer>(query: (file: OpenFile) => Answer): Answer {
    const file = this.#requireFile()
    try {
      file.reader.beforeQuery()
      return query(file)
    } catch (error) {
      if (isCorrupt(error) || isUnreadable(error)) throw problem('damaged_file', { cause: error })
      throw error
    }
  }

  #requireFile(): OpenFile {
    if (!this.#file) throw problem('damaged_file')
    return this.#file
  }
}

async function openFile(
  path: string,
  health: StorageHealth,
  report: (error: unknown) => void,
): Promise<OpenFile> {
  await make(path)
  using stack = new DisposableStack()
  // Removed rows must free disk space for other files too, not only for small blobs.
  const writer = openSqliteWriter(path, { page_size: 8192, auto_vacuum: 'full' })
  stack.defer(() => writer.close())
  // What was removed must not be readable in the free space of the file.
  writer.pragma('secure_delete = 1')
  prepareSchema(writer)
  const reader = stack.use(new FileReader(path))
  const group = await GroupCommit.take({ writer, reader, health, report })
  const { sqlite } = reader
  return {
    reader,
    group,
    insert: writer.prepare('INSERT INTO blobs (id, written, bytes) VALUES (?, ?, ?)'),
    remove: writer.prepare('DELETE FROM blobs WHERE id = ?'),
    bytes: sqlite.prepare<[BlobId], Buffer>('SELECT bytes FROM blobs WHERE id = ?').pluck(),
    size: sqlite.prepare<[BlobId], number>('SELECT length(bytes) FROM blobs WHERE id = ?').pluck(),
    page: sqlite.prepare(
      'SELECT id, length(bytes) AS size, written FROM blobs WHERE id > ? ORDER BY id LIMIT ?',
    ),
    connections: stack.move(),
  }
}

/** For its owner alone; a link in its place would lead the bytes elsewhere. */
async function make(path: string): Promise<void> {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants
  const handle = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
  await handle.close()
}

function prepareSchema(sqlite: Sqlite.Database): void {
  const found = versionOf(sqlite)
  if (found > schemaVersion) throw new DatabaseTooNew(found, schemaVersion)
  if (found === 0) sqlite.exec(schema)
}

function isCorrupt(error: unknown): boolean {
  return isSqliteError(error, /^SQLITE_(?:CORRUPT|NOTADB)/)
}

function isUnreadable(error: unknown): boolean {
  return isSqliteError(error, /^SQLITE_IOERR/)
}
