import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { rowsLieElsewhere } from '../support/test-database.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

/** Statements that may walk through a table or sort what they found, and why. */
const allowed = [
  { sql: /where "manifested" = 0/, why: 'walks an index that has only what is to be done' },
  { sql: /from "tokens" where "expires" </, why: 'is run once an hour, by no request' },
  { sql: /from "uploads" where "created" </, why: 'is run once an hour, by no request' },
  { sql: /and "predecessor" = \? order by/, why: 'sorts the next versions of one record' },
  { sql: /where "bucket_id" = \? order by coalesce/, why: 'sorts the files of one deposit' },
] as const

/** What a plan does that grows with what is stored. Rows that are equal but for ids are few. */
const grows = /^SCAN (?!CONSTANT ROW|sqlite_)|TEMP B-TREE FOR (?!LAST TERM)/

interface Step {
  readonly detail: string
}

/** Runs what a request may ask of the rows; answers each statement it took, once. */
async function statementsOf(work: () => Promise<void>): Promise<readonly string[]> {
  const prepare = vi.spyOn(Sqlite.prototype, 'prepare')
  try {
    await work()
    const ofRows = prepare.mock.contexts.map(isOfRows)
    return [...new Set(prepare.mock.calls.map(([sql]) => sql).filter((_, at) => ofRows[at]))]
  } finally {
    prepare.mockRestore()
  }
}

const isOfRows = (sqlite: unknown): boolean =>
  sqlite instanceof Sqlite && /\/deposit\.db\b/.test(sqlite.name)

function planOf(sqlite: Sqlite.Database, sql: string): readonly string[] {
  const values = [...sql.matchAll(/\?/g)].map(() => null)
  const plan = sqlite.prepare<unknown[], Step>(`EXPLAIN QUERY PLAN ${sql}`)
  return plan.all(...values).map(({ detail }) => detail)
}

async function depositsAreUsed(user: User): Promise<void> {
  const draft = await user.createDraft()
  const { id } = draft
  await user.post('/deposits/', {
    json: { title: 'Tide' },
    headers: { 'idempotency-key': 'once' },
  })
  await user.put(`/deposits/${id}`, { title: 'Level' })
  await user.patch(`/deposits/${id}`, [{ op: 'add', path: '/notes', value: 'x' }])
  for (const query of ['', 'status=draft', 'sort=-mostrecent', 'page=2', 'q=level', 'size=50']) {
    await user.search(query)
  }
  await user.delete(`/deposits/${id}`)
  await user.delete(`/deposits/${(await user.createDraftWith('a.txt')).id}?force=false`)
}

async function filesAreUsed(user: User): Promise<void> {
  const draft = await user.createDraftWith('a.txt', 'dir/b.txt')
  const [first, second] = await user.files(draft)
  await user.put(`/deposits/${draft.id}/files`, [{ id: second?.id }, { id: first?.id }])
  await user.put(`/deposits/${draft.id}/files/a.txt`, { filename: 'c.txt' })
  const put = bodyOf<FileBody>(await user.putObject(draft, 'c.txt', 'again'), 200)
  await user.get(`${put.links.self}?versionId=${put.version_id}`)
  await user.get(draft.links['bucket'] ?? '')
  await user.get(`${draft.links['bucket']}?versions`)
  await uploadInPieces(user, draft)
  await user.delete(`/deposits/${draft.id}/files/c.txt`)
  await user.delete(`/deposits/${draft.id}`)
}

async function uploadInPieces(user: User, { links }: DepositBody): Promise<void> {
  const tus = { 'tus-resumable': '1.0.0' }
  const name = Buffer.from('piece.txt').toString('base64')
  const headers = { ...tus, 'upload-length': '4', 'upload-metadata': `filename ${name}` }
  const begun = await user.post(links['uploads'] ?? '', { headers })
  await user.get(links['uploads'] ?? '')
  const type = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  const url = begun.headers.get('location') ?? ''
  await user.send('PATCH', url, { headers: type, body: 'data' })
}

async function recordsAreUsed(user: User, curator: User): Promise<void> {
  const draft = await user.createDraftWith('a.txt')
  await user.get(`/deposits/${draft.id}/actions/publish`)
  const published = await user.publish(draft)
  const record = published.links['record'] ?? ''
  for (const path of ['', '/revisions', '/revisions/0']) await user.get(record + path)
  for (const query of ['', 'page=2', 'q=level']) await user.get(`/records/?${query}`)
  await curator.put(record, { title: 'Corrected' })
  await user.edit(published)
  await user.act(published, 'discard')
  await user.edit(published)
  await user.publish(published)
  const next = bodyOf<DepositBody>(await user.act(published, 'newversion'), 201)
  await user.publish(next)
  await user.act(published, 'register')
}

async function tokensAreUsed(user: User): Promise<void> {
  const made = await user.post('/tokens/', { json: { scope: 'deposit:write' } })
  await user.get('/tokens/')
  await user.get('/me')
  await user.delete(`/tokens/${(made.body as { readonly id: string }).id}`)
}

async function everythingIsUsed(daemon: TestDaemon): Promise<void> {
  const ada = daemon.as('ada')
  const curator = daemon.as('curator', { admin: true })
  await depositsAreUsed(ada)
  await filesAreUsed(ada)
  await recordsAreUsed(ada, curator)
  await tokensAreUsed(ada)
  await depositsAreUsed(curator)
  await daemon.visitor.get('/records/')
  await daemon.visitor.get('/health')
}

describe.skipIf(rowsLieElsewhere('plans of SQLite'))('what requests ask of the rows', () => {
  it('is answered by an index, however much is stored', async () => {
    const { statements, home, stack } = await inUse(everythingIsUsed)
    await using _ = stack
    using sqlite = readOnly(join(home, 'deposit.db'))
    const queries = statements.filter((sql) =>
      /^\s*(?:select|insert|update|delete|with)/i.test(sql),
    )

    const growing = queries
      .filter((sql) => !allowed.some((known) => known.sql.test(sql)))
      .map((sql) => ({ sql, steps: planOf(sqlite, sql).filter((step) => grows.test(step)) }))
      .filter(({ steps }) => steps.length > 0)

    expect(queries.length).toBeGreaterThan(60)
    expect(growing).toEqual([])
  })

  it('is looked up by identifier where identifiers are known, be it one or many', async () => {
    const { statements, home, stack } = await inUse(manyAreFound)
    await using _ = stack
    using sqlite = readOnly(join(home, 'deposit.db'))
    const byMany = statements.filter((sql) => /"(?:id|pid_value)" in \(\?, \?/.test(sql))

    const otherwise = byMany
      .map((sql) => ({ sql, step: planOf(sqlite, sql)[0] ?? '' }))
      .filter(({ step }) => !/^SEARCH \w+ USING .*\((?:id|pid_value)=\?\)$/.test(step))

    expect(byMany.length).toBeGreaterThanOrEqual(6)
    expect(otherwise).toEqual([])
  })
})

/** Where many rows are asked for, SQLite may think it less work to look at all there are. */
async function manyAreFound(daemon: TestDaemon): Promise<void> {
  const ada = daemon.as('ada')
  for (let left = 12; left > 0; left--) await ada.createPublished({ title: 'Level' })
  for (const size of [3, 12]) {
    await ada.search(`q=level&size=${size}`)
    await ada.get(`/records/?q=level&size=${size}`)
  }
}

async function inUse(use: (daemon: TestDaemon) => Promise<void>) {
  await using stack = new AsyncDisposableStack()
  const homes: string[] = []
  const statements = await statementsOf(async () => {
    const daemon = stack.use(await testDaemon())
    homes.push(daemon.home)
    await use(daemon)
  })
  return { statements, home: homes[0] ?? '', stack: stack.move() }
}

function readOnly(path: string): Sqlite.Database & Disposable {
  const sqlite = new Sqlite(path, { readonly: true })
  return Object.assign(sqlite, { [Symbol.dispose]: () => void sqlite.close() })
}
