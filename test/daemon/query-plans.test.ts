import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { rowsLieElsewhere } from '../support/test-database.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { everythingIsUsed, manyAreFound } from './everything-used.ts'

/** Statements that may scan a table or sort their results, and why. */
const allowed = [
  { sql: /where "manifested" = 0/, why: 'walks an index that has only what is to be done' },
  { sql: /from "tokens" where "expires" </, why: 'is run once an hour, by no request' },
  { sql: /from "uploads" where "created" </, why: 'is run once an hour, by no request' },
  { sql: /^select count\(\*\) as "count" from "blobs"$/, why: 'is remembered for a minute' },
  { sql: /"concept" = \? and "number" is null/, why: 'sorts the drafts of one concept' },
  { sql: /later_versions|AS following|^INSERT INTO (?:versions|pids)\s/, why: 'is run once' },
  {
    sql: /from versions where concept = ''|^insert into (?:versions|numbers) .*select id/s,
    why: 'is run once',
  },
  { sql: /where "bucket_id" = \? order by coalesce/, why: 'sorts the files of one deposit' },
  { sql: /^insert into "files" .* row_number\(\)/, why: 'numbers the files of one deposit' },
  { sql: /^select \* from "kept_counts"$/, why: 'has three rows' },
  { sql: /^INSERT INTO metadata_usage\s+SELECT/, why: 'is run once, by a migration' },
  { sql: /^select count\(\*\) as "count" from "accounts"$/, why: 'counts users for the metrics' },
  { sql: /from "accounts" order by "created"/, why: 'lists all users to an operator' },
  { sql: /^with recursive "ended"/, why: 'goes through the tokens that end with another' },
  {
    sql: /^select count\(\*\) as "count", sum\("size"\)/,
    why: 'adds up all bytes for the metrics',
  },
] as const

/** The steps of a plan whose cost grows with the stored rows. Few rows differ only in their ids. */
const grows = /^SCAN (?!CONSTANT ROW|sqlite_)|TEMP B-TREE FOR (?!LAST TERM)/

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
    const { statements, home, stack } = await inUse(everythingIsUsed)
    await using _ = stack
    using sqlite = readOnly(join(home, 'deposit.db'))
    // A migration fills tables that have been renamed since.
    const queries = statements.filter(
      (sql) => /^\s*(?:select|insert|update|delete|with)/i.test(sql) && !/_next\b/.test(sql),
    )

    const growing = queries
      .filter((sql) => !allowed.some((known) => known.sql.test(sql)))
      .map((sql) => ({ sql, steps: planOf(sqlite, sql).filter((step) => grows.test(step)) }))
      .filter(({ steps }) => steps.length > 0)

    expect(queries.length).toBeGreaterThan(60)
    expect(growing).toEqual([])
  })

  it('look up known identifiers by index, one or many', async () => {
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
