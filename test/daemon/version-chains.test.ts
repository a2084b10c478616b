import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { snapshot } from '../../core/actions/publish.ts'
import type { PublishedRecord } from '../../core/record/record.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { at, sampleConcept, sampleDraft, samplePid } from '../support/rows.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { rowsLieElsewhere } from '../support/test-database.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const length = 1000

/** A record that was published in a home without a daemon. */
interface Made {
  readonly value: string
  readonly deposit: string
  readonly concept: string
}

/** Publishes a chain of versions, oldest first. */
async function fill(home: string, count: number): Promise<readonly Made[]> {
  await using database = await openSqliteDatabase(join(home, 'deposit.db'), () => {})
  const { concept } = sampleDraft()
  const made: PublishedRecord[] = []
  await database.write(async (unit) => {
    await unit.pids.insert(sampleConcept(sampleDraft({ concept })))
    while (made.length < count) {
      const before = made.at(-1)
      const now = at(made.length)
      const predecessor = before && { predecessor: before.value }
      const metadata = { title: `Chain of ${count}` }
      const draft = sampleDraft({ concept, metadata, created: now, updated: now, ...predecessor })
      await unit.pids.insert(samplePid({ value: draft.id }))
      await unit.deposits.insert(draft)
      const pid = samplePid({ type: 'recid', status: 'K' })
      await unit.pids.insert(pid)
      const record = snapshot(draft, pid, { schema: 'deposit-v1.0.0.json', now, before })
      await unit.records.insert(record)
      // A commit for each manifest would clear what reads remember.
      await unit.upkeep.markManifested(record)
      const { type, value, revision } = record
      const published = {
        ...draft,
        status: 'published' as const,
        record: { type, value, revision },
      }
      await unit.deposits.save(published, now)
      made.push(record)
    }
  })
  return made.map(({ value, deposit }) => ({ value, deposit: deposit.id, concept }))
}

/**
 * Statements on the chain of versions, which background work, such as on manifests, does not run.
 * Part of the audit trail is written some seconds later, beside any request.
 */
const isOnChain = /versions|record_revisions|kept_counts|files/
const isOfBackground = /manifest|"bucket_id" =|into "audit"/

/** Runs `work`, and answers the statements on rows that were run meanwhile. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const ran: string[] = []
  const statement = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1')) as object
  const spies = (['all', 'run'] as const).map((name) => {
    const run = Reflect.get(statement, name) as (...values: unknown[]) => unknown
    const own = function (this: { readonly source: string }, ...values: unknown[]): unknown {
      if (/\bfrom\b|\binto\b|\bupdate\b/i.test(this.source)) ran.push(this.source)
      return Reflect.apply(run, this, values)
    }
    return vi.spyOn(statement as Record<typeof name, typeof own>, name).mockImplementation(own)
  })
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return ran.filter((sql) => isOnChain.test(sql) && !isOfBackground.test(sql)).map(withoutNumbers)
}

/** Lists of ids differ in their length. */
function withoutNumbers(sql: string): string {
  return sql.replaceAll(/(?:\?, )+\?/g, '?')
}

describe.skipIf(rowsLieElsewhere('statements of SQLite'))('a chain of a thousand versions', () => {
  const stack = new AsyncDisposableStack()
  let daemon: TestDaemon
  let long: readonly Made[]
  let short: readonly Made[]
  beforeAll(async () => {
    const { path } = stack.use(await temporaryFolder())
    long = await fill(path, length)
    short = await fill(path, 1)
    daemon = stack.use(await testDaemon({ home: path }))
    // The index in memory is built by the first search.
    await daemon.visitor.get('/records/?q=chain')
  })
  afterAll(() => stack.disposeAsync())

  const newestOf = (chain: readonly Made[]): Made => {
    const newest = chain.at(-1)
    if (!newest) throw new Error('the chain is empty')
    return newest
  }

  it.for<readonly [string, (made: Made) => Promise<Reply>, more?: number]>([
    // Versions that do not all fit on the page are counted.
    ['the page', ({ value }) => page(`/records/${value}`), 1],
    ['the record', ({ value }) => daemon.visitor.get(`/records/${value}`)],
    ['the concept', ({ concept }) => daemon.visitor.get(`/records/${concept}`)],
    [
      'a page of the versions',
      ({ value }) => daemon.visitor.get(`/records/${value}/versions?size=1`),
    ],
    ['an export', ({ value }) => daemon.visitor.get(`/records/${value}/export/datacite-json`)],
    ['a list of records', () => daemon.visitor.get('/records/?size=1')],
  ])('costs as many statements as a chain of one: %s', async ([, ask, more = 0]) => {
    const counts = []
    for (const chain of [short, long]) {
      const runs = []
      for (let run = 0; run < 3; run += 1) {
        const statements = await statementsOf(async () => {
          const { status } = await ask(newestOf(chain))
          expect([200, 302]).toContain(status)
        })
        runs.push(statements.length)
      }
      counts.push(Math.min(...runs))
    }
    expect(counts[1]).toBe((counts[0] ?? NaN) + more)
  })

  const page = (path: string): Promise<Reply> =>
    daemon.visitor.get(daemon.origin + path, { accept: 'text/html' })

  it('costs as many to open and publish the next version', async () => {
    const admin = daemon.as('root', { admin: true })
    const counts = []
    for (const chain of [short, long]) {
      let draft: DepositBody | undefined
      const opened = await statementsOf(async () => {
        const { deposit } = newestOf(chain)
        draft = bodyOf(await admin.post(`/deposits/${deposit}/actions/newversion`), 201)
      })
      const published = await statementsOf(async () => {
        bodyOf(await admin.post(`/deposits/${draft?.id}/actions/publish`), 202)
      })
      counts.push([opened, published])
    }

    expect(counts[1]).toEqual(counts[0])
  })

  it('is searched as one record', async () => {
    const reply = await daemon.visitor.get('/records/?q=chain')
    expect(reply.body).toMatchObject({ hits: { total: 2 } })
    const all = await daemon.visitor.get('/records/?q=chain&versions=all')
    expect(all.body).toMatchObject({ hits: { total: length + 3 } })
  })
})
