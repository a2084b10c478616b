import { afterAll, describe, expect, it } from 'vitest'
import type { SearchBody } from '../../core/contract/schemas.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon({
  env: { DEPOSIT_MAX_FILE_SIZE: '1000', DEPOSIT_MAX_FILES: '2', DEPOSIT_MAX_BODY: '2000' },
})
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

const titles = ({ hits }: SearchBody) =>
  hits.hits.map(({ metadata }) => (metadata as { readonly title?: string }).title)

describe('Limits', () => {
  it('maximum search result window: 10000', async () => {
    expect((await ada.get('/deposits/?page=1000&size=10')).status).toBe(200)
    expectProblem(await ada.get('/deposits/?page=1001&size=10'), 'invalid_paging')
    expectProblem(await ada.get('/deposits/?size=10001'), 'invalid_paging')
  })

  it.for(['page=0', 'page=-1', 'page=x', 'size=0', 'size=1.5', 'size=1e3', 'page=1&page=2'])(
    'bad paging, %s, is 400',
    async (query) => expectProblem(await ada.get(`/deposits/?${query}`), 'invalid_paging'),
  )

  it('default storage class of files: S', async () => {
    const [file] = await ada.files(await ada.createDraftWith('a'))

    expect(file?.storage_class).toBe('S')
  })

  it('a file one byte over the limit is 413, and nothing is kept', async () => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()
    const bytes = (size: number) => 'x'.repeat(size)

    expectProblem(await ada.upload(draft, 'a', bytes(1001)), 'file_too_large', /1000 bytes/)
    expectProblem(await ada.putObject(draft, 'a', bytes(1001)), 'file_too_large', /1000 bytes/)
    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
    expect((await ada.upload(draft, 'a', bytes(1000))).status).toBe(201)
    expect((await ada.putObject(draft, 'b', bytes(1000))).status).toBe(201)
  })

  it('one file more than a deposit may have is 507, and nothing is kept', async () => {
    const draft = await ada.createDraftWith('a', 'b')
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()

    expectProblem(await ada.upload(draft, 'c'), 'quota_exceeded', /2 files/)
    expectProblem(await ada.putObject(draft, 'c', 'x'), 'quota_exceeded', /2 files/)
    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
    expect((await ada.putObject(draft, 'b', 'a new version')).status).toBe(200)
  })

  it('a JSON body one byte over the limit is 413', async () => {
    const document = { notes: 'x'.repeat(2000) }

    expectProblem(await ada.post('/deposits/', { json: document }), 'body_too_large')
  })
})

describe('Limits: sort options for the search index deposits', () => {
  const eve = daemon.as('eve-sort')

  it('bestmatch: -_score, the default with a query', async () => {
    for (const title of ['gauge', 'a gauge among many other long words', 'gauge gauge']) {
      await eve.createDraft({ title })
    }
    const explicit = titles(await eve.search('q=gauge&sort=bestmatch'))

    expect(titles(await eve.search('q=gauge'))).toEqual(explicit)
    expect(explicit.at(-1)).toBe('a gauge among many other long words')
    const reversed = titles(await eve.search('q=gauge&sort=-bestmatch'))
    expect(reversed).toEqual(explicit.toReversed())
  })

  it('mostrecent: -_updated, the default without a query', async () => {
    const eve = daemon.as('eve-recent')
    const first = await eve.createDraft({ title: 'first' })
    await eve.createDraft({ title: 'second' })
    await eve.put(`/deposits/${first.id}`, { title: 'first, changed' })

    const recent = ['first, changed', 'second']
    expect(titles(await eve.search())).toEqual(recent)
    expect(titles(await eve.search('sort=mostrecent'))).toEqual(recent)
    expect(titles(await eve.search('sort=-mostrecent'))).toEqual(recent.toReversed())
  })

  it('an unknown sort option is 400, and the answer names the known ones', async () => {
    const reply = await ada.get('/deposits/?sort=title')

    expectProblem(reply, 'invalid_paging')
    expect(reply.body).toMatchObject({
      errors: [{ field: 'sort', message: expect.stringContaining('bestmatch') as string }],
    })
  })
})

describe('Limits: facet status', () => {
  it('aggregates by terms of _deposit.status, and filters after aggregating', async () => {
    const eve = daemon.as('eve-facet')
    await eve.createDraft()
    await eve.createPublished()
    await eve.createPublished()
    const buckets = [
      { key: 'published', doc_count: 2 },
      { key: 'draft', doc_count: 1 },
    ]

    for (const [query, total] of [
      ['', 3],
      ['status=draft', 1],
      ['status=published', 2],
      ['q=sea&status=draft', 1],
      ['status=nope', 0],
    ] as const) {
      const found = await eve.search(query)
      expect(found.hits.total).toBe(total)
      expect(found.aggregations['status']?.buckets).toEqual(buckets)
    }
  })
})

describe('Limits: a search query', () => {
  it.for(['"', '(', 'AND', 'title:[1 TO', 'title:', ')'])(
    'that is malformed, %j, is 400 with the position of the fault',
    async (query) => {
      const reply = await ada.get(`/deposits/?q=${encodeURIComponent(query)}`)

      expectProblem(reply, 'invalid_query', /at character \d+ of the query/)
      expect(reply.body).toMatchObject({
        errors: [{ field: 'q', position: expect.any(Number) as number }],
      })
    },
  )
})
