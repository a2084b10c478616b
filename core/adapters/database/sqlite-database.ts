import { channel } from 'node:diagnostics_channel'
import { on, once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/threads.ts'
import type { Database, Readers, UnitOfWork } from '../../ports/database.ts'
import { commitChannel, type Commit, type RowFault, type Upkeep } from '../../ports/upkeep.ts'
import { pathOf } from '../sqlite/connect.ts'
import { GroupCommit } from '../sqlite/group-commit.ts'
import { StorageHealth } from '../storage-health.ts'
import { keptCounts, withKeptCounts } from './kept-counts.ts'
import { KnownRows } from './known-rows.ts'
import { migrateSqlite, requireKnownSchema } from './migrate-sqlite.ts'
import { openReader, openWriter, type SqliteConnection, type SqliteReader } from './open-sqlite.ts'
import { createReaders, createWriters, type Writers } from './rows.ts'
import { upkeepReader } from './upkeep-rows.ts'
import type { UpkeepTask } from './upkeep-worker.ts'

const KiB = 1024

/** Publishes each commit, with or without a listener. */
const commits = channel(commitChannel)

/** Opens the database at `path`, which is made or migrated where it must be. */
export async function openSqliteDatabase(
  path: string,
  report: (error: unknown) => void,
  health: StorageHealth = new StorageHealth(),
): Promise<Database> {
  requireKnownSchema(path)
  using stack = new DisposableStack()
  const writer = stack.use(openWriter(path))
  await migrateSqlite(writer)
  const reader = stack.use(openReader(path))
  const group = await GroupCommit.take({
    writer: writer.sqlite,
    reader,
    health,
    report,
    committed: (units) => commits.publish({ units } satisfies Commit),
  })
  return new SqliteDatabase({ writer, reader, group, report, health }, stack.move())
}

interface SqliteParts {
  readonly writer: SqliteConnection
  readonly reader: SqliteReader
  readonly group: GroupCommit
  readonly report: (error: unknown) => void
  readonly health: StorageHealth
}

/** SQLite with one connection that writes, in groups, and one that reads. */
class SqliteDatabase implements Database {
  readonly isShared = false
  readonly read: Readers
  readonly upkeep: Upkeep
  /** Made once: it takes as long as a unit of work does. */
  readonly #writers: Writers
  readonly #reader: SqliteReader
  readonly #group: GroupCommit
  readonly #report: (error: unknown) => void
  readonly #health: StorageHealth
  readonly #connections: Disposable

  /** @param connections is disposed of with the database */
  constructor({ writer, reader, group, report, health }: SqliteParts, connections: Disposable) {
    this.#writers = createWriters(writer.db)
    this.#reader = reader
    this.#connections = connections
    this.#group = group
    this.#report = report
    this.#health = health
    const rows = createReaders(reader.db, {
      deposits: new KnownRows(reader.view, { longest: 8 * KiB, total: 4096 * KiB }),
      records: new KnownRows(reader.view, { longest: 2048 * KiB, total: 4096 * KiB }),
    })
    this.read = withKeptCounts(rows, keptCounts(reader.db))
    this.upkeep = { ...upkeepReader(reader.db), ...upkeepThreads(pathOf(writer.sqlite)) }
  }

  readonly isWritable = (): boolean => this.#health.state === 'sound'

  /** The home is locked by one process: it always leads. */
  readonly lead = async (): Promise<AsyncDisposable> => new AsyncDisposableStack()

  readonly view = (): object => this.#reader.view()

  readonly write = <Result>(work: (unit: UnitOfWork) => Promise<Result>): Promise<Result> =>
    this.#group.run(async () => {
      const tasks: (() => Promise<void>)[] = []
      const afterCommit: UnitOfWork['afterCommit'] = (task) => tasks.push(task)
      const result = await work({ ...this.#writers, afterCommit })
      return async () => {
        for (const task of tasks) await task().catch(this.#report)
        return result
      }
    })

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#group[Symbol.asyncDispose]()
    this.#connections[Symbol.dispose]()
  }
}

/** Long reading of the whole database at `path`: on threads of its own, beside the service. */
function upkeepThreads(path: string): Pick<Upkeep, 'inspect' | 'snapshot'> {
  return {
    inspect: async function* (depth) {
      const worker = startUpkeep({ path, inspect: depth })
      try {
        // The end closes the iteration after the messages before it; a failure throws.
        for await (const [fault] of on(worker, 'message', { close: ['exit'] })) {
          yield fault as RowFault
        }
      } finally {
        await worker.terminate()
      }
    },
    snapshot: async (target) => {
      await once(startUpkeep({ path, snapshot: target }), 'exit')
    },
  }
}

function startUpkeep(task: UpkeepTask): Worker {
  return startThread(import.meta.url, 'upkeep-worker', { name: 'upkeep', workerData: task })
}
