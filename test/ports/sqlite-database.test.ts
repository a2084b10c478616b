import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import {
  openReader,
  openWriter,
  openSqliteDatabase,
} from '../../core/adapters/database/sqlite-database.ts'
import { StorageHealth } from '../../core/adapters/storage-health.ts'
import type { DraftDeposit } from '../../core/deposit/deposit.ts'
import { parseDepositId } from '../../core/pid/deposit-pid.ts'
import { collect } from '../support/collect.ts'
import { sampleDraft } from '../support/rows.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { databaseContract, type DatabaseFixture } from './database.contract.ts'
import { endlessWriter } from './sqlite-database.process.ts'

databaseContract('sqlite', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  return await openIn(folder, stack.move())
})

async function openIn(
  { path }: Pick<TemporaryFolder, 'path'>,
  stack: AsyncDisposableStack,
): Promise<DatabaseFixture> {
  const reported: unknown[] = []
  const report = (error: unknown): void => void reported.push(error)
  const database = stack.use(await openSqliteDatabase(join(path, 'deposit.db'), report))
  return { database, reported, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('The connection that writes', () => {
  it('keeps every commit through a power cut: its settings are read back', async () => {
    await using folder = await temporaryFolder()
    using writer = openWriter(join(folder.path, 'deposit.db'))
    const read = (name: string): unknown => writer.sqlite.pragma(name, { simple: true })

    expect(read('journal_mode')).toBe('wal')
    expect(read('synchronous')).toBe(2)
    expect(read('foreign_keys')).toBe(1)
    expect(read('trusted_schema')).toBe(0)
    expect(read('cell_size_check')).toBe(1)
    expect(read('journal_size_limit')).toBe(67_108_864)
  })

  it('is refused and closed when a setting does not take effect', () => {
    expect(() => openWriter(':memory:')).toThrow(/journal_mode is memory, not wal/)
  })
})

describe('The connection that reads', () => {
  it('cannot write', async () => {
    await using folder = await temporaryFolder()
    await using fixture = await openIn(folder, new AsyncDisposableStack())
    expect(fixture.database.isWritable()).toBe(true)
    using reader = openReader(join(folder.path, 'deposit.db'))

    expect(() => reader.sqlite.exec('DELETE FROM accounts')).toThrow(/readonly/)
  })

  it('does not wait behind a running unit, and sees the commits before it', async () => {
    await using folder = await temporaryFolder()
    await using fixture = await openIn(folder, new AsyncDisposableStack())
    const { database } = fixture
    const [first, second] = [sampleDraft(), sampleDraft()]
    await database.write((unit) => unit.deposits.insert(first))
    const seen = await database.write(async (unit) => {
      await unit.deposits.insert(second)
      return database.read.deposits.findAll([first.id, second.id])
    })

    expect(seen).toEqual([first])
  })

  it('sees nothing of a commit until it is durable', async () => {
    await using folder = await temporaryFolder()
    const draft = sampleDraft()
    const seen: unknown[] = []
    const health = new WatchedHealth(async () => {
      seen.push(await database.read.deposits.find(draft.id))
    })
    const path = join(folder.path, 'deposit.db')
    await using database = await openSqliteDatabase(path, () => {}, health)
    await database.write((unit) => unit.deposits.insert(draft))

    expect(seen).toEqual([undefined])
    expect(await database.read.deposits.find(draft.id)).toEqual(draft)
  })
})

describe('The sync of a commit', () => {
  it('lets the next units run meanwhile, which are answered after their own', async () => {
    await using folder = await temporaryFolder()
    const [first, second, third] = [sampleDraft(), sampleDraft(), sampleDraft()]
    const { database, nextSync, insert } = await openWaiting(folder.path)
    await using _ = database
    const stored = insert(first)
    const sync = await nextSync()
    const further = [insert(second)]
    await further[0]?.ran
    further.push(insert(third))
    await further[1]?.ran

    const { find } = database.read.deposits
    for (const { id } of [first, second, third]) expect(await find(id)).toBeUndefined()
    sync.resolve()
    await stored.done
    expect(await find(first.id)).toEqual(first)
    const next = await nextSync()
    for (const { id } of [second, third]) expect(await find(id)).toBeUndefined()
    next.resolve()
    for (const { done } of further) await done
    for (const draft of [second, third]) expect(await find(draft.id)).toEqual(draft)
  })

  it('fails what was committed, and what ran meanwhile, where the disk refuses it', async () => {
    await using folder = await temporaryFolder()
    const [first, second] = [sampleDraft(), sampleDraft()]
    const { database, nextSync, insert } = await openWaiting(folder.path)
    await using _ = database
    const stored = insert(first)
    const sync = await nextSync()
    const further = insert(second)
    await further.ran
    sync.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))

    await expect(stored.done).rejects.toMatchObject({ code: 'storage_failed' })
    await expect(further.done).rejects.toMatchObject({ code: 'storage_degraded' })
    expect(database.isWritable()).toBe(false)
    for (const { id } of [first, second])
      expect(await database.read.deposits.find(id)).toBeUndefined()
  })
})

type Sync = PromiseWithResolvers<void>

/** A database whose syncs end when they are told to. */
async function openWaiting(folder: string) {
  const begun: Sync[] = []
  const arrived = new EventEmitter()
  const health = new WatchedHealth(() => {
    const sync = Promise.withResolvers<void>()
    begun.push(sync)
    arrived.emit('sync')
    return sync.promise
  })
  const database = await openSqliteDatabase(join(folder, 'deposit.db'), () => {}, health)
  const nextSync = async (): Promise<Sync> => {
    for (;;) {
      const sync = begun.shift()
      if (sync) return sync
      await once(arrived, 'sync')
    }
  }
  const insert = (draft: DraftDeposit) => {
    const ran = Promise.withResolvers<void>()
    const done = database.write(async (unit) => {
      await unit.deposits.insert(draft)
      ran.resolve()
    })
    return { ran: ran.promise, done }
  }
  return { database, nextSync, insert }
}

/** Calls `look` right before each sync. */
class WatchedHealth extends StorageHealth {
  readonly #look: () => Promise<void>

  constructor(look: () => Promise<void>) {
    super()
    this.#look = look
  }

  override async syncing(call: () => Promise<void>): Promise<void> {
    return super.syncing(async () => {
      await this.#look()
      await call()
    })
  }
}

describe('The write-ahead log', () => {
  it('holds the commits, and closing moves them into the main file', async () => {
    await using folder = await temporaryFolder()
    const draft = sampleDraft()
    const log = join(folder.path, 'deposit.db-wal')
    {
      await using fixture = await openIn(folder, new AsyncDisposableStack())
      await fixture.database.write((unit) => unit.deposits.insert(draft))
      expect((await stat(log)).size).toBeGreaterThan(0)
    }

    await expect(stat(log)).rejects.toThrow(/ENOENT/)
    await using again = await openIn(folder, new AsyncDisposableStack())
    expect(await again.database.read.deposits.find(draft.id)).toEqual(draft)
  })
})

describe('The write-ahead log under writers that never pause', () => {
  it('starts over once it is long: it takes a bounded part of the disk', async () => {
    await using folder = await temporaryFolder()
    await using fixture = await openIn(folder, new AsyncDisposableStack())
    const { database, reported } = fixture
    const notes = 'x'.repeat(20_000)
    const writer = async (): Promise<void> => {
      for (let count = 0; count < 100; count += 1) {
        const draft = sampleDraft({ metadata: { notes } })
        await database.write((unit) => unit.deposits.insert(draft))
        expect(await database.read.deposits.find(draft.id)).toBeDefined()
      }
    }
    await Promise.all(Array.from({ length: 32 }, writer))

    // Without an end it would be 120 MB by now.
    expect((await stat(join(folder.path, 'deposit.db-wal'))).size).toBeLessThan(80_000_000)
    expect(reported).toEqual([])
  })
})

describe('A process that is killed in the middle of writing', () => {
  it.for([1, 2, 3])(
    'loses nothing that was acknowledged, and keeps nothing half written (%i)',
    async (round) => {
      await using folder = await temporaryFolder()
      const acknowledged = await writeUntilKilled(folder.path, round * 40)
      await using fixture = await openIn(folder, new AsyncDisposableStack())
      const { deposits, pids } = fixture.database.read

      expect(acknowledged.length).toBeGreaterThanOrEqual(round * 40)
      const found = await deposits.findAll(acknowledged.map(parseDepositId))
      expect(found.map(({ id }) => id)).toEqual(acknowledged)
      for await (const { id } of deposits.each({ of: 'deposits' })) {
        expect(await pids.find({ type: 'depid', value: id })).toBeDefined()
      }
      expect(await collect(fixture.database.upkeep.inspect('full'))).toEqual([])
    },
  )
})

/** Ids that a writer had acknowledged when it was killed, at least `count`. */
async function writeUntilKilled(folder: string, count: number): Promise<readonly string[]> {
  const [command, ...args] = endlessWriter(folder)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const acknowledged: string[] = []
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line)
    if (acknowledged.length === count) child.kill('SIGKILL')
  }
  await ended
  return acknowledged
}
