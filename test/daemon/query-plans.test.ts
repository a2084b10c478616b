import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { rowsLieElsewhere } from '../support/test-database.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { everythingIsUsed, manyAreFound } from './everything-used.ts'

/** Statements that may scan a table or sort their results, and why. */
const allowed = [
  { sql: /where "manifested" = 0/, why: 'walks an index that has only what is to be done' },
  { sql: /from "tokens" where "expires" </, why: 'is run once an hour, by no request' },
  { sql: /from "uploads" where "created" </, why: 'is run once an hour, by no request' },
  {
    sql: /^select count\(\*\) as "count" from "(?:audit|blobs)"$/,
    why: 'is remembered for a minute',
  },
  { sql: /"concept" = \? and "number" is null/, why: 'sorts the drafts of one concept' },
  { sql: /later_versions|AS following|^INSERT INTO (?:versions|pids)\s/, why: 'is run once' },
  {
    sql: /from versions where concept = ''|^insert into (?:versions|numbers) .*select id/s,
    why: 'is run once',
  },
  { sql: /where "bucket_id" = \+\? order by coalesce/, why: 'sorts the files of one deposit' },
  { sql: /^insert into "files" .* row_number\(\)/, why: 'numbers the files of one deposit' },
  {
    sql: /\(select "key" from "files" .* limit \?\) as "part"$/,
    why: 'reads as many as are copied',
  },
  { sql: /^insert into deposit_people .*select distinct/s, why: 'is run once' },
  { sql: /^UPDATE deposits SET makers/, why: 'is run once' },
  { sql: /^UPDATE issuer_entries SET account_id/, why: 'is run once' },
  {
    sql: /as "owned" union all .* as "shared"/,
    why: 'merges the first rows of two indexes, as many of each as the page may need',
  },
  { sql: /^select \* from "kept_counts"$/, why: 'has three rows' },
  { sql: /^INSERT INTO metadata_usage\s.*SELECT owner/s, why: 'is run once, by a migration' },
  { sql: /^select count\(\*\) as "count" from "accounts"$/, why: 'counts users for the metrics' },
  { sql: /from "accounts" order by "created"/, why: 'lists all users to an operator' },
  { sql: /^select \* from "identifier_pauses"$/, why: 'has a row for each provider' },
  { sql: /from "identifier_outbox" order by "due" limit \?$/, why: 'reads the first of an index' },
  { sql: /^update "identifier_outbox" .*"holder" is not null$/, why: 'is run once, at the start' },
  { sql: /^with recursive "ended"/, why: 'goes through the tokens that end with another' },
  {
    sql: /^select count\(\*\) as "count", sum\("size"\)/,
    why: 'adds up all bytes for the metrics',
  },
] as const

/** The steps of a plan whose cost grows with the stored rows. Few rows differ only in their ids; `once` is one row. */
const grows = /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES|once$|sqlite_)|TEMP B-TREE FOR (?!LAST TERM)/

interface Step {
  readonly detail: string
}

/** Runs the queries that requests make of the rows; returns each statement once. */
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

describe.skipIf(rowsLieElsewhere('plans of SQLite'))('queries of requests', () => {
  it('use an index', async () => {
    const { statements, home, stack } = await inUse(usedBy(everythingIsUsed))
    await using _ = stack
    using sqlite = readOnly(join(home, 'deposit.db'))
    const queries = queriesOf(statements)

    expect(queries.length).toBeGreaterThan(60)
    expect(growing(sqlite, queries)).toEqual([])
  })

  it('use an index where DOIs are registered', async () => {
    const { statements, home, stack } = await inUse(async (owned) => {
      const { daemon } = owned.use(await doiDaemon())
      const ada = daemon.as('ada')
      const published = await ada.createPublished()
      await doiOf(ada, published, 'registered')
      await daemon.operate('doi retry', {})
      return daemon
    })
    await using _ = stack
    using sqlite = readOnly(join(home, 'deposit.db'))
    const queries = queriesOf(statements)
    const ofDois = queries.filter((sql) => /identifier/.test(sql))
    const changes = queries.filter((sql) => sql.startsWith('update "record_revisions"'))

    expect(ofDois.length).toBeGreaterThan(10)
    expect(growing(sqlite, ofDois)).toEqual([])
    expect(changes.length).toBeGreaterThan(0)
    for (const sql of changes) expect(planOf(sqlite, sql)[0]).toMatch(/\(pid_value=\?/)
  })

  it('look up known identifiers by index, one or many', async () => {
    const { statements, home, stack } = await inUse(usedBy(manyAreFound))
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

/** Statements that look for rows; a migration fills tables that have been renamed since. */
function queriesOf(statements: readonly string[]): readonly string[] {
  return statements.filter(
    (sql) => /^\s*(?:select|insert|update|delete|with)/i.test(sql) && !/_next\b/.test(sql),
  )
}

/** Queries that are not allowed to scan or sort, with the steps in which they do. */
function growing(sqlite: Sqlite.Database, queries: readonly string[]) {
  return queries
    .filter((sql) => !allowed.some((known) => known.sql.test(sql)))
    .map((sql) => ({ sql, steps: planOf(sqlite, sql).filter((step) => grows.test(step)) }))
    .filter(({ steps }) => steps.length > 0)
}

const usedBy =
  (use: (daemon: TestDaemon) => Promise<void>) =>
  async (stack: AsyncDisposableStack): Promise<TestDaemon> => {
    const daemon = stack.use(await testDaemon())
    await use(daemon)
    return daemon
  }

/** @param use starts a daemon that `stack` owns, and uses it */
async function inUse(use: (stack: AsyncDisposableStack) => Promise<TestDaemon>) {
  await using stack = new AsyncDisposableStack()
  const homes: string[] = []
  const statements = await statementsOf(async () => {
    const daemon = await use(stack)
    homes.push(daemon.home)
  })
  return { statements, home: homes[0] ?? '', stack: stack.move() }
}

function readOnly(path: string): Sqlite.Database & Disposable {
  const sqlite = new Sqlite(path, { readonly: true })
  return Object.assign(sqlite, { [Symbol.dispose]: () => void sqlite.close() })
}
