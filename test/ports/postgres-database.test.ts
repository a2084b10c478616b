import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  serverRun,
  wasCommitted,
  type TransactionName,
} from '../../core/adapters/database/commit-outcome.ts'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { openPostgresDatabase } from '../../core/adapters/postgres/postgres-database.ts'
import { DatabaseTooNew } from '../../core/ports/upkeep.ts'
import { collect } from '../support/collect.ts'
import { commitCutter } from '../support/commit-cutter.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import {
  sampleAccount,
  sampleDraft,
  sampleFile,
  sampleConcept,
  samplePid,
} from '../support/rows.ts'
import { databaseContract, type DatabaseFixture } from './database.contract.ts'

describe.skipIf(!hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await startPostgres()))
  afterAll(() => server[Symbol.asyncDispose]())

  const open = async (address?: string): Promise<DatabaseFixture> => {
    const reported: unknown[] = []
    const url = address ?? (await server.migrated())
    const database = await openPostgresDatabase(url, (error) => void reported.push(error))
    return { database, reported, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  databaseContract('postgres', () => open())

  it('is migrated once by daemons that start together', async () => {
    const url = await server.database(randomUUID())
    const opened = await Promise.all([open(url), open(url), open(url)])
    const counts = await Promise.all(opened.map(({ database }) => database.read.records.count()))
    for (const fixture of opened) await fixture[Symbol.asyncDispose]()

    expect(counts).toEqual([0, 0, 0])
  })

  it('is left unchanged when a newer program has migrated it', async () => {
    const url = await server.database(randomUUID())
    await (await open(url))[Symbol.asyncDispose]()
    await using db = openPostgres(url, { connections: 1 })
    await sql`insert into schema_version (version) values (999)`.execute(db)

    await expect(open(url)).rejects.toThrow(DatabaseTooNew)
  })

  it('keeps a document exactly, also when jsonb would change or refuse it', async () => {
    await using fixture = await open()
    const draft = sampleDraft({
      metadata: { zero: '\0', slash: '\\u0000', emoji: '😀', long: 1e300, a: 1, 10: 2, 9: 3 },
    })
    await fixture.database.write(async (unit) => {
      await unit.deposits.insert(draft)
      await unit.pids.insert(sampleConcept(draft))
    })

    expect(await fixture.database.read.deposits.find(draft.id)).toEqual(draft)
    const faults = await collect(fixture.database.upkeep.inspect('full'))
    expect(faults).toEqual([{ table: 'deposits', id: draft.id, message: 'has no identifier' }])
  })

  it.for(['', "AND status = 'draft'", "AND owner = 'a'", "AND owner = 'a' AND status = 'draft'"])(
    'has an index in the order of a list (%s)',
    async (narrowed) => {
      const url = await server.migrated()
      await using _ = await open(url)
      await using db = openPostgres(url, { connections: 1 })
      await sql`SET enable_seqscan = off`.execute(db)
      for (const order of ['updated DESC, id', 'updated, id DESC']) {
        const list = `SELECT * FROM deposits WHERE hidden IS NULL ${narrowed} ORDER BY ${order} LIMIT 10`
        const { rows } = await sql.raw(`EXPLAIN ${list}`).execute(db)
        expect(JSON.stringify(rows)).not.toContain('Sort')
      }
    },
  )

  it('finds nothing under a name that cannot be stored as text', async () => {
    await using fixture = await open()
    const { records, pids } = fixture.database.read

    expect(await records.find('a\0')).toBeUndefined()
    expect(await pids.find({ type: 'depid', value: '\0' })).toBeUndefined()
  })

  it('finds faults in its rows', async () => {
    const url = await server.migrated()
    await using fixture = await open(url)
    const draft = sampleDraft()
    await fixture.database.write(async (unit) => {
      await unit.deposits.insert(draft)
      await unit.pids.insert(samplePid({ value: draft.id }))
      await unit.pids.insert(sampleConcept(draft))
      await unit.files.add(sampleFile(draft.bucket, 'a.txt'))
    })
    expect(await collect(fixture.database.upkeep.inspect('full'))).toEqual([])
    await using db = openPostgres(url, { connections: 1 })
    await sql`update deposits set document = '{}', owners = '['`.execute(db)
    await sql`update buckets set byte_count = 1`.execute(db)

    expect(await collect(fixture.database.upkeep.inspect('full'))).toEqual([
      { table: 'deposits', id: draft.id, message: 'has a document that does not match its digest' },
      { table: 'deposits', id: draft.id, message: 'has JSON that cannot be read' },
      { table: 'buckets', id: draft.bucket, message: 'has totals that are not those of its files' },
    ])
  })

  it('is read and written on while a newer program adds columns', async () => {
    const url = await server.migrated()
    await using fixture = await open(url)
    await using newer = openPostgres(url, { connections: 1 })
    const { read, write } = fixture.database
    const draft = sampleDraft()
    await write((unit) => unit.deposits.insert(draft))
    const touch = (): Promise<unknown> =>
      write(async (unit) => {
        const found = await unit.deposits.find(draft.id)
        if (found) await unit.deposits.touch(found, found.updated)
      })
    await read.deposits.find(draft.id)
    await touch()
    await sql`alter table deposits add column later text`.execute(newer)
    await touch()

    expect((await read.deposits.find(draft.id))?.revision).toBe(2)
  })

  describe('with several daemons', () => {
    it('runs units of several daemons as if one after another', async () => {
      const url = await server.migrated()
      await using one = await open(url)
      await using two = await open(url)
      const draft = sampleDraft()
      await one.database.write((unit) => unit.deposits.insert(draft))
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 ? one : two).database.write(async (unit) => {
            const found = await unit.deposits.find(draft.id)
            if (found) await unit.deposits.touch(found, found.updated)
            await unit.files.add(sampleFile(draft.bucket, `${index}.txt`, 1))
          }),
        ),
      )

      const files = await two.database.read.files.list(draft.bucket, 'draft')
      expect(files.map(({ position }) => position)).toEqual(files.map((_, index) => index))
      expect((await one.database.read.deposits.find(draft.id))?.revision).toBe(40)
      expect((await two.database.read.files.totals([draft.bucket])).get(draft.bucket)).toEqual({
        count: 40,
        size: 40,
      })
    })

    it('gives work to one of them, and to the next when it is done', async () => {
      const url = await server.migrated()
      await using one = await open(url)
      await using two = await open(url)
      const first = await one.database.lead('sweep')
      await using other = await one.database.lead('scrub')

      expect([first, other]).not.toContain(undefined)
      expect(await two.database.lead('sweep')).toBeUndefined()
      await first?.[Symbol.asyncDispose]()
      await using second = await two.database.lead('sweep')
      expect(second).toBeDefined()
    })

    it('gives a key to only one file', async () => {
      const url = await server.migrated()
      await using one = await open(url)
      await using two = await open(url)
      const { bucket } = sampleDraft()
      const settled = await Promise.allSettled(
        [one, two, one, two].map(({ database }) =>
          database.write((unit) => unit.files.add(sampleFile(bucket, 'same.txt'))),
        ),
      )

      const refused = settled.flatMap((one): readonly unknown[] =>
        one.status === 'rejected' ? [one.reason] : [],
      )
      expect(refused).toHaveLength(3)
      for (const reason of refused) expect(reason).toMatchObject({ code: 'file_already_exists' })
    })

    it('lets one of them create a row that each has found missing', async () => {
      const url = await server.migrated()
      await using one = await open(url)
      await using two = await open(url)
      const account = sampleAccount()
      await Promise.all(
        [one, two, one, two].map(({ database }) =>
          database.write(async (unit) => {
            const found = await unit.accounts.findByEmail(account.email)
            if (!found) await unit.accounts.insert(account)
          }),
        ),
      )

      expect(await two.database.read.accounts.list()).toEqual([account])
    })
  })

  describe('a server that goes away', () => {
    it('is not mistaken for a bug, and is used again once it is back, with nothing acknowledged lost', async () => {
      await using durable = await startPostgres({ durable: true })
      await using fixture = await open(await durable.database('deposit'))
      const { database } = fixture
      const acknowledged: string[] = []
      const refusals: unknown[] = []
      const controller = new AbortController()
      const write = async (): Promise<void> => {
        while (!controller.signal.aborted) {
          const draft = sampleDraft()
          await database
            .write((unit) => unit.deposits.insert(draft))
            .then(
              () => acknowledged.push(draft.id),
              (error: unknown) => refusals.push(error),
            )
        }
      }
      const writers = [write(), write(), write(), write()]
      await expect.poll(() => acknowledged.length).toBeGreaterThan(20)
      await durable.crash()
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before)
      controller.abort()
      await Promise.all(writers)

      // A server that is killed may still say that its disk failed.
      const codes = ['storage_unavailable', 'storage_failed']
      for (const refusal of refusals)
        expect(codes).toContain((refusal as { readonly code?: string }).code)
      const found: string[] = []
      for await (const { id } of database.read.deposits.each({ of: 'deposits' })) found.push(id)
      expect(new Set(found).isSupersetOf(new Set(acknowledged))).toBe(true)
      await expect.poll(() => database.isWritable()).toBe(true)
    })
  })

  describe('a commit without an answer', () => {
    it('counts as made if the same server knows it, and as not made if a restarted one does not', async () => {
      await using db = openPostgres(await server.migrated(), { connections: 1 })
      const name = await db.transaction().execute(async (transaction) => {
        await sql`create table made (id int)`.execute(transaction)
        const run = sql<string>`${sql.raw(serverRun)}`
        const named = sql<TransactionName>`select pg_current_xact_id()::text as number, ${run} as since`
        return (await named.execute(transaction)).rows[0]
      })
      if (!name) throw new Error('nothing was changed')

      expect(await wasCommitted(db, name)).toBe(true)
      const before = { ...name, since: 'before it crashed' }
      await expect(wasCommitted(db, before)).rejects.toMatchObject({ code: 'storage_unavailable' })
      const lost = { ...before, number: String(BigInt(name.number) + 1_000n) }
      expect(await wasCommitted(db, lost)).toBe(false)
    })

    it.for(['before', 'after'] as const)(
      'is made once, whether the connection broke %s the server was told',
      async (moment) => {
        await using cutter = await commitCutter(await server.migrated())
        await using fixture = await open(cutter.url)
        const draft = sampleDraft()
        let runs = 0
        cutter.cutNext(moment)
        const answer = await fixture.database.write(async (unit) => {
          runs += 1
          await unit.deposits.insert(draft)
          return 'done'
        })

        expect(answer).toBe('done')
        expect(runs).toBe(moment === 'before' ? 2 : 1)
        expect(await fixture.database.read.deposits.find(draft.id)).toEqual(draft)
      },
    )

    it('is not made again if its outcome is unknown', async () => {
      await using cutter = await commitCutter(await server.migrated())
      await using fixture = await open(cutter.url)
      await using restarting = openPostgres(cutter.url, { connections: 1 })
      const draft = sampleDraft()
      // This makes the server look like one that has crashed since the transaction was named.
      const crash = sql`select pg_stat_reset_shared('bgwriter')`
      let runs = 0
      cutter.cutNext('after', { run: () => crash.execute(restarting) })
      const written = fixture.database.write(async (unit) => {
        runs += 1
        await unit.deposits.insert(draft)
      })

      await expect(written).rejects.toMatchObject({ code: 'storage_unavailable' })
      expect(runs).toBe(1)
      expect(await fixture.database.read.deposits.find(draft.id)).toEqual(draft)
    })
  })

  it('whose encoding is not UTF-8 is refused, and left unchanged', async () => {
    const url = await server.database(randomUUID(), "ENCODING 'LATIN1' LOCALE 'C'")

    await expect(open(url)).rejects.toThrow(/keeps text as LATIN1/)
    await using db = openPostgres(url, { connections: 1 })
    const { rows } = await sql`select from pg_tables where schemaname = 'public'`.execute(db)
    expect(rows).toEqual([])
  })

  it('that cannot be reached is reported as unavailable', async () => {
    const nowhere = 'postgres://postgres@127.0.0.1:1/none'
    await expect(open(nowhere)).rejects.toMatchObject({ code: 'storage_unavailable' })
  })
})
