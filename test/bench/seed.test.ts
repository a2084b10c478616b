import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { homeAt } from '../../daemon/home/home.ts'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf, send } from '../support/http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Client } from './client.ts'
import { startDaemon } from './daemon.ts'
import { documentOf } from './documents.ts'
import type { Home } from './home.ts'
import { asked, listOfTen, searchFor } from './searches.ts'
import { FullText } from './full-text.ts'
import { quick } from './scale.ts'
import { Workshop } from './workshop.ts'

interface Found {
  readonly hits: { readonly total: number }
}

/** Columns that depend neither on chance nor on the time, and how the rows are connected. */
const written = [
  `SELECT deposits.pid_type, deposits.status, schema_path, document, digest, revision, base_revision,
    record_type, record_revision, predecessor, indexed, hidden, email, length(bucket_id) AS bucket,
    owners = json_array(owner) AS owned, created_by = owner AS own, object_type, pids.status AS pid
    FROM deposits JOIN pids ON pid_value = deposits.id JOIN accounts ON accounts.id = owner
    ORDER BY document`,
  `SELECT pid_type, object_type, status, redirect_type, redirect_value, length(pid_value) AS length,
    length(object_uuid) AS uuid FROM pids ORDER BY pid_type, object_type`,
  `SELECT records.pid_type, records.superseded, records.revision, latest, records.schema_path,
    records.document, records.digest, records.predecessor, number, object_type, pids.status AS pid,
    records.deposit = json_object('id', deposits.id, 'owners', json(deposits.owners),
      'created_by', deposits.created_by) AS dumped,
    deposits.record_value = records.pid_value AS published
    FROM record_revisions AS records JOIN deposits ON deposits.bucket_id = records.bucket_id
    JOIN versions ON record = records.pid_value AND deposit_id = deposits.id
    JOIN pids ON pids.pid_value = records.pid_value ORDER BY records.document`,
  `SELECT numbers.number, title, versions.number AS version, pids.object_type FROM versions
    JOIN numbers ON numbers.deposit_id = versions.deposit_id JOIN pids ON pid_value = concept
    JOIN (SELECT id, json_extract(document, '$.title') AS title FROM deposits)
      ON id = versions.deposit_id ORDER BY numbers.number`,
  'SELECT * FROM kept_counts ORDER BY kind',
  'SELECT slot, byte_count, email FROM metadata_usage JOIN accounts ON id = owner',
] as const

/**
 * Tables that have other rows where there are more users, or that only requests fill: the audit
 * trail tells who asked for a change, and nobody asks the seeder.
 */
const differing: readonly unknown[] = ['accounts', 'audit']

describe('a home that was filled with many deposits', () => {
  it('is as sound as one filled by requests, and finds the same as the reference', async () => {
    await using workshop = await Workshop.open(quick)
    await using stack = new AsyncDisposableStack()
    const home = await workshop.homeWith(3000)
    expect(await runDepositd(home.path, ['check'])).toMatchObject({ status: 0 })

    await using daemon = await startDaemon(home)
    using owner = new Client(home.token)
    using admin = new Client(home.adminToken)
    const total = async (client: Client, url: string) =>
      ((await client.json(url)) as Found).hits.total
    expect(await total(owner, listOfTen(daemon.url))).toBe(1000)
    expect(await total(admin, listOfTen(daemon.url))).toBe(3000)
    using reference = new FullText(await workshop.folder(stack), 3000)
    for (const query of asked.slice(0, 20)) {
      expect(await total(admin, searchFor(query, daemon.url)), query).toBe(reference.count(query))
    }
  })

  it.each(['drafts', 'records'] as const)(
    'has the rows that requests for %s write',
    async (kind) => {
      const deposits = 12
      await using workshop = await Workshop.open(quick)
      await using stack = new AsyncDisposableStack()
      const [seeded, requested] = [
        await workshop.homeWith(deposits, kind),
        await workshop.home(stack),
      ]
      await request(requested, deposits, kind)
      using one = databaseOf(seeded)
      using other = databaseOf(requested)
      for (const query of written) {
        const rows = one.prepare(query).all()
        expect(rows).toEqual(other.prepare(query).all())
      }
      expect(countsOf(one)).toMatchObject({
        deposits,
        record_revisions: kind === 'records' ? deposits : 0,
      })
      expect(countsOf(one)).toEqual(countsOf(other))
      for (const pragma of ['journal_mode', 'auto_vacuum', 'foreign_key_check']) {
        expect(one.pragma(pragma)).toEqual(other.pragma(pragma))
      }
    },
  )

  it('is kept for the next run where a folder is named', async () => {
    await using folder = await temporaryFolder()
    const fill = async (): Promise<readonly unknown[]> => {
      await using workshop = await Workshop.open(quick, folder.path)
      const home = await workshop.homeWith(3, 'records')
      using rows = databaseOf(home)
      return [home, ...rows.prepare('SELECT pid_value FROM pids').all()]
    }
    expect(await fill()).toEqual(await fill())
  })

  it('shows its records to everybody, where it was filled with records', async () => {
    await using workshop = await Workshop.open(quick)
    const home = await workshop.homeWith(300, 'records')
    await using daemon = await startDaemon(home)
    using visitor = new Client()
    expect(await visitor.json(`${daemon.url}/api/records/?size=1`)).toMatchObject({
      hits: { total: 300 },
    })
  })
})

/** Creates deposits through HTTP, and publishes them where records are wanted. */
async function request(home: Home, deposits: number, kind: 'drafts' | 'records'): Promise<void> {
  await using daemon = await startDaemon(home)
  const headers = { authorization: `Bearer ${home.token}` }
  for (let index = 0; index < deposits; index += 1) {
    const json = documentOf(index)
    const made = await send('POST', `${daemon.url}/api/deposits`, { headers, json })
    const { links } = bodyOf<{ readonly links: { readonly publish: string } }>(made, 201)
    if (kind === 'records') bodyOf(await send('POST', links.publish, { headers }), 202)
  }
}

function databaseOf(home: Home): Sqlite.Database & Disposable {
  const sqlite = new Sqlite(homeAt(home.path).database, { readonly: true })
  return Object.assign(sqlite, { [Symbol.dispose]: () => void sqlite.close() })
}

/** Number of rows by table. */
function countsOf(sqlite: Sqlite.Database): Readonly<Record<string, unknown>> {
  const tables = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  const counts = tables
    .filter((name) => !differing.includes(name))
    .map((name) => {
      const count: unknown = sqlite
        .prepare(`SELECT count(*) FROM "${String(name)}"`)
        .pluck()
        .get()
      return [String(name), count] as const
    })
  return Object.fromEntries(counts)
}
