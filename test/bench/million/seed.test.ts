import { Client as Database } from 'pg'
import { describe, expect, it } from 'vitest'
import { inspectPostgres } from '../../../core/adapters/postgres/inspect-postgres.ts'
import { openPostgres } from '../../../core/adapters/database/open-postgres.ts'
import { collect } from '../../support/collect.ts'
import { runDepositd } from '../../support/depositd.ts'
import { bodyOf, send } from '../../support/http.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { Client } from '../client.ts'
import { startDaemon, type Daemon } from '../daemon.ts'
import { documentOf } from '../documents.ts'
import { makeHome, type Home } from '../home.ts'
import { asked, listOfTen, searchFor } from '../searches.ts'
import { filesEach } from './rows.ts'
import { seed } from './seed.ts'

const deposits = 24

/** The columns that do not depend on the time of writing. */
const written = [
  `SELECT status, schema_path, document, digest, revision, base_revision, record_type,
    record_revision, predecessor, indexed, hidden, owners = json_build_array(owner)::text AS owned,
    created_by = owner AS own FROM deposits ORDER BY document`,
  `SELECT pid_type, object_type, status, redirect_type, length(pid_value) AS characters FROM pids
    ORDER BY pid_type, object_type`,
  `SELECT pid_type, superseded, revision, latest, schema_path, document, digest, predecessor,
    (SELECT json_object_agg(key, length(value)) FROM json_each_text(deposit::json))::text AS dump
    FROM record_revisions ORDER BY document`,
  `SELECT key, position, published_position, storage_class, size, digests, damage,
    files.created >= deposits.created AS later, blobs.owner = deposits.owner AS own
    FROM files JOIN blobs ON blobs.id = blob_id JOIN deposits USING (bucket_id)
    ORDER BY document, position`,
  'SELECT number, record IS NOT NULL AS published FROM versions ORDER BY number',
  'SELECT number FROM numbers ORDER BY number',
  'SELECT file_count, byte_count FROM buckets',
  'SELECT byte_count FROM usage',
  'SELECT sum(byte_count) AS bytes FROM metadata_usage GROUP BY owner ORDER BY bytes',
  'SELECT kind, count(*) FROM search_changes GROUP BY kind ORDER BY kind',
] as const

/** The whole search index. */
const found = ['deposits', 'records'].flatMap((kind) => [
  `SELECT * FROM search_${kind} ORDER BY id`,
  `SELECT * FROM search_${kind}_values ORDER BY id, field, kind, value`,
])

describe.skipIf(!hasPostgres())('a PostgreSQL that was filled with many deposits', () => {
  it('has the rows that requests write, and gives the same answers', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startPostgres())
    const homeOn = async (name: string): Promise<Home & { readonly url: string }> => {
      const { path } = stack.use(await temporaryFolder())
      const url = await server.database(name)
      return { url, ...(await makeHome(path, { DEPOSIT_DATABASE_URL: url })) }
    }
    const [seeded, requested] = [await homeOn('seeded'), await homeOn('requested')]
    await seed({ url: seeded.url, deposits, say: () => {} })
    const one = stack.use(await startDaemon(seeded))
    const other = stack.use(await startDaemon(requested))
    await request(other)

    for (const query of written) {
      expect(await rowsAt(seeded.url, query)).toEqual(await rowsAt(requested.url, query))
    }
    expect(await answersOf(one)).toEqual(await answersOf(other))
    const db = stack.adopt(openPostgres(seeded.url, { connections: 1 }), (pool) => pool.destroy())
    expect(await collect(inspectPostgres(db))).toEqual([])

    const searched = async (): Promise<ReadonlySet<string>> => {
      const rows = await Promise.all(found.map((query) => rowsAt(seeded.url, query)))
      return new Set(rows.flat().map((row) => JSON.stringify(row)))
    }
    const before = await searched()
    expect(before.size).toBeGreaterThan(deposits * 1.5)
    expect(await runDepositd(seeded.path, ['reindex'], seeded.env)).toMatchObject({ status: 0 })
    expect([...(await searched()).symmetricDifference(before)]).toEqual([])
  })
})

/** Makes the same changes through HTTP that the rows describe. */
async function request(daemon: Daemon): Promise<void> {
  const headers = { authorization: `Bearer ${daemon.token}` }
  for (let index = 0; index < deposits; index += 1) {
    const made = await send('POST', `${daemon.url}/api/deposits`, {
      headers,
      json: documentOf(index),
    })
    const { links } = bodyOf<{ readonly links: Readonly<Record<string, string>> }>(made, 201)
    for (let n = 0; n < filesEach; n += 1) {
      const body = Buffer.alloc(1000 + n, `${index}/${n}`)
      bodyOf(await send('PUT', `${links['bucket']}/part-${n}.csv`, { headers, body }), 201)
    }
    if (index % 2 === 1) bodyOf(await send('POST', links['publish'] ?? '', { headers }), 202)
  }
}

interface Listing {
  readonly hits: {
    readonly total: number
    readonly hits: readonly { readonly metadata: { readonly title: string } }[]
  }
  readonly aggregations: unknown
}

/** The results of lists and searches, by title. */
async function answersOf({ url, token, adminToken }: Daemon): Promise<readonly unknown[]> {
  using owner = new Client(token)
  using admin = new Client(adminToken)
  using visitor = new Client()
  const publicly = (address: string): string => address.replace('/deposits/', '/records/')
  const titles = async (client: Client, address: string): Promise<unknown> => {
    const { hits, aggregations } = (await client.json(address)) as Listing
    const shown = hits.hits.map(({ metadata }) => metadata.title)
    return { address: address.slice(url.length), total: hits.total, shown, aggregations }
  }
  const answers: unknown[] = []
  for (const address of [
    `${listOfTen(url)}&page=2`,
    `${listOfTen(url)}&status=published`,
    ...asked.slice(0, 30).map((query) => searchFor(query, url)),
  ]) {
    answers.push(await titles(owner, address), await titles(admin, address))
    answers.push(await titles(visitor, publicly(address)))
  }
  return answers
}

async function rowsAt(url: string, query: string): Promise<readonly unknown[]> {
  const client = new Database({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Readonly<Record<string, unknown>>>(query)).rows
  } finally {
    await client.end()
  }
}
