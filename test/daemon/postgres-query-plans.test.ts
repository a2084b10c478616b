import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { levelCounts } from '../../core/adapters/search/postgres/kept-counts.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { everythingIsUsed, manyAreFound } from './everything-used.ts'
import { explaining, growthOf, PlanLog, type Planned } from './postgres-plans.ts'

/** Steps that statements may take although their cost grows, and why. */
const allowed = [
  { sql: /^WITH found/, may: /^sorts$/, why: 'ranks and counts all that a search finds' },
  { sql: /^WITH found/, may: /_long$/, why: 'this index has the documents that are too long' },
  { sql: /search_changes/, may: /_by_changed$/, why: 'the few that were not counted yet' },
  { sql: /search_counts/, may: /search_(counts|totals)/, why: 'have a row for each status' },
  { sql: /"damage" is not null/, may: /_damaged$/, why: 'this index has only what is damaged' },
  {
    sql: /"(?:pid_value|record)" not in/,
    may: /_by_latest|_newest|pids_unlisted/,
    why: 'the few that have moved or were withdrawn',
  },
  { sql: /"checked" is null or/, may: /_by_checked$/, why: 'the next few in this order' },
  { sql: /"concept" = \$1 and "number" is null/, may: /^sorts$/, why: 'the drafts of one concept' },
  { sql: /"bucket_id" = \$1 order by/, may: /^sorts$/, why: 'the files of one deposit' },
  { sql: /"finished" is null order by/, may: /^sorts$/, why: 'the uploads to one deposit' },
  { sql: /where "manifested" = 0/, may: /_unmanifested$/, why: 'has only what is to be done' },
  { sql: /from "tokens" where "expires" </, may: /^walks/, why: 'is run once an hour' },
  { sql: /from "uploads" where "created" </, may: /./, why: 'is run once an hour' },
  { sql: /from "intents"/, may: /_pkey$/, why: 'is empty here: all ways are the same' },
  {
    sql: /^select count\(\*\) .*from "(accounts|audit|blobs|identifiers)"/,
    may: /^walks/,
    why: 'is run once a minute',
  },
  { sql: /^delete from "identifiers"/, may: /_by_status$/, why: 'the few that are reserved' },
  {
    sql: /^delete from "deposit_people"/,
    may: /_by_user_id_status_updated$/,
    why: 'has next to no rows here: all ways are the same',
  },
  {
    sql: /^select sum\(size\) .*from "trashed_files"|SELECT sum\(octet_length\(key\) .*trashed_files/s,
    may: /^walks/,
    why: 'is asked when room is short, of an owner who has nearly all deposits here',
  },
  {
    sql: /as "found" inner join "deposits"/,
    may: /^sorts$/,
    why: 'has what is on a page, and what changed within a minute of its last deposit',
  },
  {
    sql: /"submitted" is not null/,
    may: /deposits_submitted/,
    why: 'these indexes have only the drafts that wait for a review',
  },
  {
    sql: /from "deposits" .*"id" = any\(\$1\)$/,
    may: /deposits_shown_by_owner_status_updated_id$/,
    why: 'several that are asked for at once are most of those here',
  },
  { sql: /FROM search_state/, may: /^walks/, why: 'has two rows' },
] as const

/** Makes the planner sort or scan a table only when there is no other way. */
const settings = { ...explaining, enable_seqscan: 'off', enable_sort: 'off', autovacuum: 'off' }

describe.skipIf(!hasPostgres())('queries in PostgreSQL', () => {
  it('use an index', async () => {
    const { statements, columns } = await inUse()

    const growing = statements
      .map(({ sql, plan }) => {
        const may = allowed.filter((known) => known.sql.test(sql))
        const grows = growthOf(plan, columns).filter((way) => !may.some((k) => k.may.test(way)))
        return { sql, grows, plan: JSON.stringify(plan) }
      })
      .filter(({ grows }) => grows.length > 0)

    expect(statements.length).toBeGreaterThan(80)
    expect(growing).toEqual([])
  })
})

interface Use {
  readonly statements: readonly Planned[]
  readonly columns: ReadonlyMap<string, readonly string[]>
}

/** The statements of requests on many rows, and of a starting daemon, which does its hourly work. */
async function inUse(): Promise<Use> {
  await using stack = new AsyncDisposableStack()
  const log = new PlanLog()
  const server = stack.use(await startPostgres({ settings, heard: log.heard }))
  const url = await server.database(randomUUID())
  const home = stack.use(await temporaryFolder()).path
  const client = stack.adopt(new Client({ connectionString: url }), (open) => open.end())
  await client.connect()
  const start = () => testDaemon({ env: { DEPOSIT_DATABASE_URL: url }, home })
  {
    await using daemon = await start()
    await everythingIsUsed(daemon)
    await using db = openPostgres(url, { connections: 1 })
    for (const kind of ['deposits', 'records'] as const) await levelCounts(db, kind)
    await pretendMillions(client)
    await log.take(client)
    await everythingIsUsed(daemon)
    await manyAreFound(daemon)
  }
  await (await start())[Symbol.asyncDispose]()
  return { statements: await log.take(client), columns: await columnsOfIndexes(client) }
}

/** Makes the planner believe that each page of a table has a million rows, of as many values. */
async function pretendMillions(client: Client): Promise<void> {
  await client.query('ANALYZE')
  await client.query(
    'UPDATE pg_class SET reltuples = 1e6, relpages = 1 ' +
      "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  )
}

async function columnsOfIndexes(client: Client): Promise<Use['columns']> {
  const { rows } = await client.query<{ readonly name: string; readonly columns: string[] }>(
    'SELECT relname AS name, ' +
      'array_agg(pg_get_indexdef(attrelid, attnum, true) ORDER BY attnum) AS columns ' +
      'FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid ' +
      "WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace GROUP BY relname",
  )
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}
