import { describe, expect, it } from 'vitest'
import type { DepositBody, SearchBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const json = (value: unknown): string => JSON.stringify(value)

describe('the routes of DEPOSIT_REST_ENDPOINTS', () => {
  it.each([
    ['{pid_value}', '{key}'],
    ['<pid_value>', '<path:key>'],
    ['<pid(depid,record_class="a:B"):pid_value>', '<path:key>'],
  ])('are mounted at the configured paths, with %s', async (pid, key) => {
    const depid = {
      list_route: '/drafts/',
      item_route: `/draft/${pid}`,
      file_list_route: `/draft/${pid}/objects`,
      file_item_route: `/draft/${pid}/object/${key}`,
    }
    await using daemon = await testDaemon({ env: { DEPOSIT_REST_ENDPOINTS: json({ depid }) } })
    const owner = daemon.as('owner')
    const draft = bodyOf<DepositBody>(await owner.post('/drafts/', { json: {} }), 201)
    const at = `${daemon.url}/draft/${draft.id}`
    expect(draft.links).toMatchObject({
      self: at,
      files: `${at}/objects`,
      publish: `${at}/actions/publish`,
    })
    const body = new FormData()
    body.set('file', new Blob(['x']), 'f')
    body.set('name', 'a/b')
    const file = await owner.post(`${at}/objects`, { body })
    expect(file.headers.get('location')).toBe(`${at}/object/a/b`)
    expect((await owner.get(`${at}/object/a/b?download`)).bytes.toString()).toBe('x')
    expect((await owner.act({ id: '' }, '')).status).toBe(404)
    bodyOf(await owner.post(draft.links['publish'] ?? ''), 202)
  })
})

describe('a start with invalid options', () => {
  const start = (depid: string) =>
    testDaemon({ files: { 'deposit.config.js': `export default ${depid}` } })

  it('is refused for a default media type without a serializer', async () => {
    const depid = { default_media_type: 'text/csv' }
    await expect(testDaemon({ env: { DEPOSIT_REST_ENDPOINTS: json({ depid }) } })).rejects.toThrow(
      /default_media_type is text\/csv, .* there are application\/json/,
    )
  })

  it.each(['self', 'bundles', 'uploads', 'record_html', 'previous_version'])(
    'is refused for an action named %s, the name of another link',
    async (name) => {
      const content = `{ actions: { ${name}: { summary: 'x', run: (deposit) => deposit } } }`
      await expect(start(content)).rejects.toThrow(new RegExp(`cannot be called ${name}`))
    },
  )

  it('is refused for a search class without a visibility', async () => {
    const depid = `{ search_class: { visibility: () => ({ of: 'everything' }) } }`
    await expect(start(`{ DEPOSIT_REST_ENDPOINTS: { depid: ${depid} } }`)).rejects.toThrow(
      /search_class\.visibility answered \{"of":"everything"\}/,
    )
  })
})

describe('DEPOSIT_RECORDS_API, DEPOSIT_SEARCH_API and DEPOSIT_FILES_API', () => {
  it('set the paths of routes and links', async () => {
    const env = {
      DEPOSIT_RECORDS_API: '/api/v1/deposit/{pid_value}',
      DEPOSIT_SEARCH_API: '/api/v1/deposits',
      DEPOSIT_FILES_API: '/storage',
    }
    await using daemon = await testDaemon({ env })
    const owner = daemon.as('owner')
    const created = await owner.post(`${daemon.origin}/api/v1/deposits`, { json: {} })
    const draft = bodyOf<DepositBody>(created, 201)
    expect(draft.links['self']).toBe(`${daemon.origin}/api/v1/deposit/${draft.id}`)
    expect(draft.links['bucket']).toMatch(`${daemon.origin}/storage/`)
    const { links } = bodyOf<SearchBody>(await owner.get(`${daemon.origin}/api/v1/deposits/`), 200)
    expect(links.self).toMatch(`${daemon.origin}/api/v1/deposits?`)
    expect((await owner.putObject(draft, 'f', 'x')).status).toBe(201)
    expectProblem(await owner.get('/deposits/'), 'not_found')
  })
})

describe('DEPOSIT_UI_ENDPOINT and DEPOSIT_RECORDS_UI_ENDPOINTS', () => {
  it('make the html link of a deposit', async () => {
    const env = { DEPOSIT_UI_ENDPOINT: '{scheme}://desk.example/{host}/{pid_value}' }
    await using daemon = await testDaemon({ env })
    const { id, links } = await daemon.as('owner').createDraft()
    const { host } = new URL(daemon.origin)
    expect(links['html']).toBe(`http://desk.example/${host}/${id}`)
  })

  it('make the link follow the route of the page', async () => {
    const env = { DEPOSIT_RECORDS_UI_ENDPOINTS: json({ depid: { route: '/desk/<pid_value>' } }) }
    await using daemon = await testDaemon({ env })
    const { id, links } = await daemon.as('owner').createDraft()
    expect(links['html']).toBe(`${daemon.origin}/desk/${id}`)
  })
})

describe('the search configuration', () => {
  const index = {
    DEPOSIT_UI_SEARCH_INDEX: 'mine',
    DEPOSIT_REST_SORT_OPTIONS: json({
      mine: { title: { title: 'By title', fields: ['title'], order: 1 } },
    }),
    DEPOSIT_REST_DEFAULT_SORT: json({ mine: { query: 'title', noquery: '-title' } }),
    DEPOSIT_REST_FACETS: json({
      mine: {
        aggs: { kind: { terms: { field: 'kind' } } },
        post_filters: { kind: { terms: { field: 'kind' } } },
      },
    }),
    DEPOSIT_REST_ENDPOINTS: json({ depid: { max_result_window: 50 } }),
  }

  it('is looked up under DEPOSIT_UI_SEARCH_INDEX', async () => {
    await using daemon = await testDaemon({ env: index })
    const owner = daemon.as('owner')
    for (const title of ['b', 'a', 'c']) {
      await owner.createDraft({ title, kind: title === 'c' ? 'odd' : 'even' })
    }
    const titles = async (query: string): Promise<readonly unknown[]> =>
      (await owner.search(query)).hits.hits.map(
        ({ metadata }) => 'title' in metadata && metadata.title,
      )
    expect(await titles('')).toEqual(['c', 'b', 'a'])
    expect(await titles('sort=title')).toEqual(['a', 'b', 'c'])
    expect(await titles('kind=odd')).toEqual(['c'])
    const { aggregations } = await owner.search('kind=odd')
    expect(aggregations).toEqual({
      kind: {
        buckets: [
          { key: 'even', doc_count: 2 },
          { key: 'odd', doc_count: 1 },
        ],
      },
    })
    expectProblem(await owner.get('/deposits/?sort=mostrecent'), 'invalid_paging')
    expectProblem(await owner.get('/deposits/?page=6&size=10'), 'invalid_paging')
  })

  it('filters only by the facets in post_filters, and counts as many values as size allows', async () => {
    const aggs = {
      kind: { terms: { field: 'kind', size: 1 } },
      status: { terms: { field: '_deposit.status' } },
    }
    const post_filters = { kind: { terms: { field: 'kind' } } }
    const DEPOSIT_REST_FACETS = json({ deposits: { aggs, post_filters } })
    await using daemon = await testDaemon({ env: { DEPOSIT_REST_FACETS } })
    const owner = daemon.as('owner')
    for (const kind of ['odd', 'even', 'even']) await owner.createDraft({ kind })
    const { hits, aggregations } = await owner.search('status=published')
    expect(hits.total).toBe(3)
    expect(aggregations['kind']?.buckets).toEqual([{ key: 'even', doc_count: 2 }])
    expect((await owner.search('kind=odd')).hits.total).toBe(1)
  })

  it('has default pages no larger than the window', async () => {
    const depid = { max_result_window: 5 }
    await using daemon = await testDaemon({ env: { DEPOSIT_REST_ENDPOINTS: json({ depid }) } })
    const owner = daemon.as('owner')
    for (let count = 0; count < 6; count += 1) await owner.createDraft({})
    expect((await owner.search()).hits).toMatchObject({ total: 6, hits: { length: 5 } })
  })

  it('keeps the default tables if only the index has another name', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_UI_SEARCH_INDEX: 'mine' } })
    const { aggregations } = await daemon.as('owner').search('sort=mostrecent')
    expect(Object.keys(aggregations)).toEqual(['status'])
  })

  it('is shown by _options, with the messages of the pages', async () => {
    const env = { ...index, DEPOSIT_RESPONSE_MESSAGES: json({ publish: { message: 'Done.' } }) }
    await using daemon = await testDaemon({ env })
    expect((await daemon.as('owner').get('/deposits/_options')).body).toEqual({
      default_media_type: 'application/json',
      item_media_types: ['application/json'],
      search_media_types: ['application/json'],
      max_result_window: 50,
      sort_fields: [{ title: { title: 'By title' } }],
      facets: ['kind'],
      response_messages: { publish: 'Done.' },
    })
  })
})

describe('Accept', () => {
  it('without JSON gets 406 for a record, before any change', async () => {
    await using daemon = await testDaemon()
    const published = await daemon.as('owner').createPublished()
    const curator = daemon.as('curator', { admin: true })
    const record = published.links['record'] ?? ''
    const accept = 'text/csv'
    for (const [method, url] of [
      ['GET', '/records/'],
      ['GET', record],
      ['HEAD', record],
      ['PUT', record],
      ['PATCH', record],
      ['GET', `${record}/revisions`],
      ['GET', `${record}/revisions/0`],
      ['GET', published.links['bucket'] ?? ''],
    ] as const) {
      const json = method === 'PUT' ? {} : method === 'PATCH' ? [] : undefined
      const reply = await curator.send(method, url, { headers: { accept }, json })
      expect([method, url, reply.status]).toEqual([method, url, 406])
    }
    expect(await curator.record(published)).toMatchObject({ revision: 0 })
  })

  it('without a known media type gets 406, before any change', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const draft = await owner.createDraftWith('data.csv')
    const headers = { accept: 'text/html' }
    for (const [method, path] of [
      ['GET', '/deposits/'],
      ['GET', '/deposits/_options'],
      ['POST', '/deposits/'],
      ['GET', `/deposits/${draft.id}`],
      ['HEAD', `/deposits/${draft.id}`],
      ['PUT', `/deposits/${draft.id}`],
      ['POST', `/deposits/${draft.id}/actions/publish`],
      ['GET', `/deposits/${draft.id}/actions/publish`],
      ['GET', `/deposits/${draft.id}/files`],
      ['GET', `/deposits/${draft.id}/files/data.csv`],
    ] as const) {
      const sent = method === 'PUT' || path === '/deposits/' ? { headers, json: {} } : { headers }
      const reply = await owner.send(method, path, method === 'GET' ? { headers } : sent)
      expect([method, path, reply.status]).toEqual([method, path, 406])
    }
    expect(await owner.show(draft)).toEqual(draft)
    expect((await owner.search()).hits.total).toBe(1)
  })

  it.each([
    ['application/json', true],
    ['*/*', true],
    ['application/json;q=0.5, text/csv', false],
    ['application/octet-stream', false],
    ['text/csv', false],
    ['text/*', false],
  ])('%s of a CSV file gives its JSON: %s', async (accept, isJson) => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const { id } = await owner.createDraftWith('data.csv')
    const reply = await owner.get(`/deposits/${id}/files/data.csv`, { accept })
    expect(reply.status).toBe(200)
    expect(reply.bytes.toString() === 'data.csv').toBe(!isJson)
  })
})
