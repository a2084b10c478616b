import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { openPostgresDatabase } from '../../core/adapters/postgres/postgres-database.ts'
import { createReaders } from '../../core/adapters/database/rows.ts'
import type { Tables } from '../../core/adapters/database/schema/tables.ts'
import {
  levelCounts,
  findSince,
  readCounts,
  type Counts,
} from '../../core/adapters/search/postgres/kept-counts.ts'
import type { Kind } from '../../core/adapters/search/postgres/projection.ts'
import { rebuild } from '../../core/adapters/search/postgres/rebuild.ts'
import type { Database } from '../../core/ports/database.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { useDeposits } from '../support/use-deposits.ts'

const report = (error: unknown): void => expect.fail(String(error))

describe.skipIf(!hasPostgres())('a count that daemons share in PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await startPostgres()))
  afterAll(() => server[Symbol.asyncDispose]())

  /** A database that several daemons have open, with its search tables made. */
  async function open(daemons = 1) {
    await using stack = new AsyncDisposableStack()
    const url = await server.database(randomUUID())
    const opened: Database[] = []
    while (opened.length < daemons) opened.push(stack.use(await openPostgresDatabase(url, report)))
    const db = stack.use(openPostgres(url, { connections: 4, isPatient: true }))
    await sql`insert into search_state values ('deposits'), ('records')`.execute(db)
    const owned = stack.move()
    const [database] = opened
    if (!database) throw new Error('nothing is open')
    return { url, database, opened, db, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  it('is right at any moment, with several writers and readers', async () => {
    await using place = await open(2)
    await level(place.db)
    const writing = new AbortController()
    const levelling = (async () => {
      while (!writing.signal.aborted) await level(place.db)
    })()
    const seen: Both[] = []
    const looking = (async () => {
      while (!writing.signal.aborted) seen.push(await look(place.db))
    })()
    await Promise.all(place.opened.flatMap((one) => [1, 2, 3].map(() => useDeposits(one, 25))))
    writing.abort()
    await Promise.all([levelling, looking])

    for (const { kept, counted } of [...seen, await look(place.db)]) expect(kept).toEqual(counted)
    expect(new Set(seen.map(({ kept }) => JSON.stringify(kept))).size).toBeGreaterThan(10)
  })

  it('is stored from the first query on', async () => {
    await using place = await open()
    const { deposits, records } = place.database.read
    await useDeposits(place.database, 14)
    expect((await look(place.db)).kept).toEqual([notKept, notKept])
    expect(await deposits.countByStatus({ of: 'deposits' })).toEqual({ draft: 6, published: 4 })
    await expect.poll(async () => (await look(place.db)).kept[1]).toEqual({ published: 4 })

    for (const more of [14, 7]) {
      await useDeposits(place.database, more)
      const { counted } = await look(place.db)
      expect(await deposits.countByStatus({ of: 'deposits' })).toEqual(counted[0])
      expect(await records.count()).toBe(counted[1]?.['published'])
      await level(place.db)
    }
  })

  it('is recounted after a dump is restored into a cluster with lower transaction numbers', async () => {
    await using place = await open()
    await useDeposits(place.database, 7)
    await level(place.db)
    await sql`update search_counts set since = '4000000000'`.execute(place.db)
    await sql`update search_changes set changed = '3999999999'`.execute(place.db)
    await using back = await openPostgresDatabase(place.url, report)
    expect((await look(place.db)).kept).toEqual([notKept, notKept])
    await useDeposits(back, 7)
    await level(place.db)
    await useDeposits(back, 7)

    const { kept, counted } = await look(place.db)
    expect(kept).toEqual(counted)
    await expect.poll(() => level(place.db).then(() => pending(place.db))).toBe(0)
  })

  it('leaves out documents that a rebuilt index lacks', async () => {
    await using place = await open()
    await useDeposits(place.database, 7)
    for (const kind of ['deposits', 'records'] as const) {
      await sql`insert into ${sql.table(`search_${kind}`)} select 'gone', status, owners, schema_path,
        created, updated, terms, runs from ${sql.table(`search_${kind}`)} limit 1`.execute(place.db)
    }
    await level(place.db)
    for (const kind of ['deposits', 'records'] as const) {
      await rebuild(place.db, kind, new AbortController().signal)
    }

    const { kept, counted } = await look(place.db)
    expect(kept).toEqual(counted)
  })

  it('is right after a crash of the server during counting and writing', async () => {
    await using own = await startPostgres({ durable: true })
    const url = await own.database('crashing')
    for (let round = 0; round < 4; round += 1) {
      await using database = await openPostgresDatabase(url, () => {})
      await using db = openPostgres(url, { connections: 4, isPatient: true })
      await sql`insert into search_state values ('deposits'), ('records') on conflict do nothing`.execute(
        db,
      )
      const working = Promise.allSettled([useDeposits(database, 40), levelOften(db)])
      await sleep(100 + round * 50)
      await own.crash()
      const ended = await working
      await level(db)

      expect(ended.map(({ status }) => status)).toContain('rejected')
      const { kept, counted } = await look(db)
      expect(kept).toEqual(counted)
    }
  })
})

/** Stands for counts that are not stored. */
const notKept = { nothing: -1 }

async function levelOften(db: Kysely<Tables>): Promise<void> {
  for (let times = 0; times < 1000; times += 1) await level(db)
}

/** Documents that each query has to read. */
async function pending(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`select count(*) from search_changes
    join search_counts using (kind) where changed >= since`.execute(db)
  return Number(rows[0]?.count)
}

interface Both {
  readonly kept: readonly (Counts | undefined)[]
  readonly counted: readonly Counts[]
}

/** Stored and counted counts, of one moment. */
function look(db: Kysely<Tables>): Promise<Both> {
  const transaction = db.transaction().setIsolationLevel('repeatable read')
  return transaction.execute(async (moment) => {
    const { deposits, records } = createReaders(moment)
    return {
      kept: [await keptOf(moment, 'deposits'), await keptOf(moment, 'records')].map(withoutNone),
      counted: [
        await deposits.countByStatus({ of: 'deposits' }),
        { published: await records.count() },
      ].map(withoutNone),
    }
  })
}

async function keptOf(db: Kysely<Tables>, kind: Kind): Promise<Counts | undefined> {
  const since = await findSince(db, kind)
  return typeof since === 'string' ? (await readCounts(db, kind, since))?.counts : undefined
}

function withoutNone(counts: Counts = notKept): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
}

async function level(db: Kysely<Tables>): Promise<void> {
  for (const kind of ['deposits', 'records'] as const) await levelCounts(db, kind)
}
