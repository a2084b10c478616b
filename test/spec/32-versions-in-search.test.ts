import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, SearchBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const engines = ['in memory', 'on disk', ...(hasPostgres() ? ['in PostgreSQL'] : [])]

describe.each(engines)('A search of records (%s)', (engine) => {
  let daemon: TestDaemon
  let records: readonly string[]
  const stack = new AsyncDisposableStack()
  afterAll(() => stack.disposeAsync())

  /** Two versions of one, a record by itself, and a draft of the third version. */
  beforeAll(async () => {
    if (engine === 'in PostgreSQL') {
      const server = stack.use(await startPostgres())
      const url = await server.database(randomUUID())
      daemon = stack.use(await testDaemon({ env: { DEPOSIT_DATABASE_URL: url } }))
    } else {
      const env = engine === 'on disk' ? { DEPOSIT_SEARCH_MEMORY: '1' } : {}
      daemon = stack.use(await testDaemon({ env }))
    }
    const ada = daemon.as('ada')
    const facts = { resource_type: 'dataset', publication_date: '2025', license: 'CC0-1.0' }
    const published = await ada.createPublished({ title: 'Tides at the pier', ...facts })
    const next = bodyOf<DepositBody>(await ada.act(published, 'newversion'), 201)
    const newer = await ada.publish(next)
    const other = await ada.createPublished({ title: 'Tides elsewhere', ...facts })
    await ada.act(newer, 'newversion')
    records = [published, newer, other].map(({ metadata }) => metadata._deposit?.value ?? '')
  })

  async function found(query: string): Promise<readonly [ids: ReadonlySet<string>, total: number]> {
    const reply = await daemon.visitor.get(`/records/?${query}`)
    const { hits } = bodyOf<SearchBody>(reply, 200)
    return [new Set(hits.hits.map(({ id }) => id)), hits.total]
  }

  it('finds the newest version of each concept, with a query or without', async () => {
    const [, newer = '', other = ''] = records
    for (const query of [
      '',
      'q=tides',
      'q=tides&sort=mostrecent',
      'sort=-mostrecent',
      'status=published',
    ]) {
      expect(await found(query), query).toEqual([new Set([newer, other]), 2])
    }
    expect(await found('q=pier')).toEqual([new Set([newer]), 1])
    expect(await found('size=1&page=2')).toEqual([new Set([newer]), 2])
  })

  it('finds every version with versions=all', async () => {
    for (const query of ['versions=all', 'q=tides&versions=all', 'versions=all&status=published']) {
      expect(await found(query), query).toEqual([new Set(records), 3])
    }
    const some = await daemon.visitor.get('/records/?versions=some')
    expectProblem(some, 'invalid_paging')
    expect(some.body).toMatchObject({ errors: [{ field: 'versions' }] })
  })

  it('counts facets accordingly', async () => {
    const statusOf = async (query: string): Promise<unknown> =>
      bodyOf<SearchBody>(await daemon.visitor.get(`/records/?${query}`), 200).aggregations['status']
    const buckets = (count: number) => ({ buckets: [{ key: 'published', doc_count: count }] })

    expect(await statusOf('q=tides')).toEqual(buckets(2))
    expect(await statusOf('q=tides&versions=all')).toEqual(buckets(3))
    const page = async (query: string) =>
      (
        await daemon.visitor.get(`${daemon.origin}/records${query}`, { accept: 'text/html' })
      ).bytes.toString()
    expect(await page('')).toMatch(/data set<\/a> <small>2<\/small>/i)
    expect(await page('?q=tides')).toContain('2 records')
    const all = await page('?versions=all')
    expect(all).toMatch(/data set<\/a> <small>3<\/small>/i)
    expect(all).toMatch(/name="versions" value="all"/)
    expect(all).toContain('records.atom?versions=all')
  })

  it('shows feeds the same; harvesters and sitemaps know every version', async () => {
    const read = async (path: string) =>
      (await daemon.visitor.get(daemon.origin + path)).bytes.toString()
    const [first = '', newer = ''] = records

    const feed = await read('/records.atom?q=pier')
    expect([feed.includes(newer), feed.includes(first)]).toEqual([true, false])
    expect(await read('/records.atom?q=pier&versions=all')).toContain(first)
    const harvested = await read('/oai?verb=ListIdentifiers&metadataPrefix=oai_dc')
    const map = await read('/sitemaps/1.xml')
    for (const value of records) {
      expect(harvested).toContain(value)
      expect(map).toContain(value)
    }
  })

  it('goes on so when an older version is corrected', async () => {
    const [first = '', newer = ''] = records
    const curator = daemon.as('curator', { admin: true })
    bodyOf(await curator.put(`/records/${first}`, { title: 'Corrected pier' }), 200)

    expect(await found('q=pier')).toEqual([new Set([newer]), 1])
    expect(await found('q=corrected')).toEqual([new Set(), 0])
    expect(await found('q=corrected&versions=all')).toEqual([new Set([first]), 1])
    expect((await found(''))[1]).toBe(2)
  })
})
