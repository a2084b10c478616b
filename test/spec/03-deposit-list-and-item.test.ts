import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, SearchBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

const ids = ({ hits }: SearchBody) => hits.hits.map(({ id }) => id)

describe('Endpoints: list, /deposits/', () => {
  it('POST answers 201 with the deposit, its URL as Location and its revision as ETag', async () => {
    const reply = await ada.post('/deposits/', { json: { title: 'Sea level' } })
    const draft = bodyOf<DepositBody>(reply, 201)

    expect(reply.headers.get('location')).toBe(`${daemon.url}/deposits/${draft.id}`)
    expect(reply.headers.get('etag')).toBe('"0"')
    expect(reply.headers.get('deposit-api-version')).toBe('1')
    expect(draft).toMatchObject({ metadata: { title: 'Sea level' }, revision: 0 })
  })

  it('GET answers the deposits of the caller, with total, facet and links', async () => {
    const eve = daemon.as('eve-list')
    const first = await eve.createDraft({ title: 'First' })
    const second = await eve.createPublished({ title: 'Second' })
    const found = await eve.search()

    expect(ids(found)).toEqual([second.id, first.id])
    expect(found.hits.hits[0]).toEqual(await eve.show(second))
    expect(found.hits.total).toBe(2)
    expect(found.aggregations['status']?.buckets).toEqual([
      { key: 'draft', doc_count: 1 },
      { key: 'published', doc_count: 1 },
    ])
    expect(found.links).toEqual({
      self: expect.stringContaining(`${daemon.url}/deposits?`) as string,
    })
  })

  it('GET pages with prev and next; a page past the end is 200 and empty', async () => {
    const eve = daemon.as('eve-pages')
    for (const title of ['a', 'b', 'c']) await eve.createDraft({ title })
    const middle = await eve.search('page=2&size=1')
    const next = bodyOf<SearchBody>(await eve.get(middle.links.next ?? ''), 200)

    expect(middle.hits).toMatchObject({ total: 3, hits: [{ metadata: { title: 'b' } }] })
    expect(next.hits.hits).toMatchObject([{ metadata: { title: 'a' } }])
    expect(next.links).not.toHaveProperty('next')
    const back = bodyOf<SearchBody>(await eve.get(middle.links.prev ?? ''), 200)
    expect(back.hits.hits).toMatchObject([{ metadata: { title: 'c' } }])
    expect(back.links).not.toHaveProperty('prev')
    const beyond = await eve.search('page=9&size=2')
    expect(beyond.hits).toEqual({ hits: [], total: 3 })
    expect(beyond.links.prev).toContain('page=2&size=2')
  })

  it('answers with and without the trailing slash', async () => {
    expect((await ada.get('/deposits')).status).toBe(200)
    expect((await ada.post('/deposits', { json: {} })).status).toBe(201)
  })

  it('_options names the sort fields, the window and the media types', async () => {
    expect((await ada.get('/deposits/_options')).body).toMatchObject({
      max_result_window: 10_000,
      default_media_type: 'application/json',
      sort_fields: [
        { mostrecent: { title: 'Most recent' } },
        { bestmatch: { title: 'Best match' } },
      ],
    })
  })
})

describe('Endpoints: item, /deposits/{pid_value}', () => {
  it('GET answers the deposit with ETag, Last-Modified and Link', async () => {
    const draft = await ada.createDraft()
    const reply = await ada.get(`/deposits/${draft.id}`)

    expect(reply.body).toEqual({ ...draft, files: { count: 0, size: 0 } })
    expect(reply.headers.get('etag')).toBe('"0"')
    const modified = Date.parse(reply.headers.get('last-modified') ?? '')
    expect(modified).toBe(Math.floor(Date.parse(draft.updated) / 1000) * 1000)
    expect(reply.headers.get('link')).toContain(`<${daemon.url}/deposits/${draft.id}>; rel="self"`)
  })

  it('the links hold self, files, bucket, html and one for each action', async () => {
    const { id, links } = await ada.createDraft()
    const item = `${daemon.url}/deposits/${id}`

    expect(links).toMatchObject({
      self: item,
      files: `${item}/files`,
      bucket: expect.stringContaining(`${daemon.url}/files/`) as string,
      html: `${daemon.origin}/deposit/${id}`,
      publish: `${item}/actions/publish`,
      edit: `${item}/actions/edit`,
      discard: `${item}/actions/discard`,
      register: `${item}/actions/register`,
      merge: `${item}/actions/merge`,
      newversion: `${item}/actions/newversion`,
    })
  })

  it('HEAD answers as GET without the body', async () => {
    const draft = await ada.createDraft()
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => ada.send(method, `/deposits/${draft.id}`)),
    )

    expect(head?.status).toBe(200)
    expect(head?.bytes).toHaveLength(0)
    for (const name of ['etag', 'last-modified', 'content-length', 'content-type']) {
      expect(head?.headers.get(name)).toBe(get?.headers.get(name))
    }
  })

  it('PUT replaces the document and keeps $schema when the body has none', async () => {
    const draft = await ada.createDraft({ title: 'Old', notes: 'n' })
    const reply = await ada.put(`/deposits/${draft.id}`, { title: 'New' })
    const { $schema, _deposit } = draft.metadata

    expect(bodyOf<DepositBody>(reply, 200).metadata).toEqual({ title: 'New', $schema, _deposit })
    expect(reply.headers.get('etag')).toBe('"1"')
  })

  it('PUT and PATCH may set $schema to any schema of the registry', async () => {
    const draft = await ada.createDraft()
    const $schema = `${daemon.origin}/schemas/deposits/dataset-v1.0.0.json`
    const put = await ada.put(`/deposits/${draft.id}`, { title: 'x', $schema })
    expect(bodyOf<DepositBody>(put, 200).metadata.$schema).toBe($schema)

    const patch = [{ op: 'replace', path: '/$schema', value: draft.metadata.$schema }]
    const patched = await ada.patch(`/deposits/${draft.id}`, patch)
    expect(bodyOf<DepositBody>(patched, 200).metadata.$schema).toBe(draft.metadata.$schema)
  })

  it('PATCH applies a JSON Patch, also as application/json', async () => {
    const draft = await ada.createDraft()
    const patch = [
      { op: 'test', path: '/title', value: 'Sea level' },
      { op: 'add', path: '/keywords', value: ['tide'] },
      { op: 'add', path: '/keywords/-', value: 'gauge' },
    ]
    const reply = await ada.send('PATCH', `/deposits/${draft.id}`, { json: patch })

    expect(bodyOf<DepositBody>(reply, 200).metadata).toMatchObject({ keywords: ['tide', 'gauge'] })
  })

  it('POST without a body creates an empty draft', async () => {
    const { metadata } = bodyOf<DepositBody>(await ada.post('/deposits/'), 201)
    expect(Object.keys(metadata)).toEqual(['$schema', '_deposit'])
  })

  it('DELETE answers 204 without a body, and 410 from then on, also for files and actions', async () => {
    const draft = await ada.createDraft()
    expect((await ada.delete(`/deposits/${draft.id}`)).status).toBe(204)

    const path = `/deposits/${draft.id}`
    expectProblem(await ada.get(path), 'deposit_deleted', 'PID has been deleted.')
    expectProblem(await ada.put(path, {}), 'deposit_deleted')
    expectProblem(await ada.patch(path, []), 'deposit_deleted')
    expectProblem(await ada.delete(path), 'deposit_deleted')
    expectProblem(await ada.get(`${path}/files`), 'deposit_deleted')
    expectProblem(await ada.upload(draft, 'a'), 'deposit_deleted')
    expectProblem(await ada.get(`${path}/files/a`), 'deposit_deleted')
    expectProblem(await ada.act(draft, 'publish'), 'deposit_deleted')
  })

  it('DELETE has no input: a Content-Type without a body does not matter', async () => {
    const draft = await ada.createDraft()
    const headers = { 'content-type': 'application/json' }

    expect((await ada.delete(`/deposits/${draft.id}`, headers)).status).toBe(204)
  })

  it('GET answers the same bytes until something changes, and every change at once', async () => {
    const draft = await ada.createDraft()
    const path = `/deposits/${draft.id}`
    const seen: string[] = []
    const look = async () => {
      const [first, again] = [await ada.get(path), await ada.get(path)]
      expect(again.bytes).toEqual(first.bytes)
      expect(Number((await ada.send('HEAD', path)).headers.get('content-length'))).toBe(
        first.bytes.length,
      )
      expect(first.headers.get('etag')).toBe(`"${bodyOf<DepositBody>(first, 200).revision}"`)
      seen.push(first.bytes.toString())
      return bodyOf<DepositBody>(first, 200)
    }

    expect(await look()).toMatchObject({ files: { count: 0, size: 0 } })
    await ada.put(path, { title: 'Replaced' })
    expect(await look()).toMatchObject({ metadata: { title: 'Replaced' } })
    await ada.patch(path, [{ op: 'add', path: '/title', value: 'Patched' }])
    expect(await look()).toMatchObject({ metadata: { title: 'Patched' } })
    await ada.putObject(draft, 'a.txt', 'four')
    expect(await look()).toMatchObject({ files: { count: 1, size: 4 } })
    await ada.act(draft, 'publish')
    expect(await look()).toMatchObject({ metadata: { _deposit: { status: 'published' } } })
    await ada.act(draft, 'edit')
    expect(await look()).toMatchObject({ metadata: { _deposit: { status: 'draft' } } })
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('the body is indented with ?prettyprint=1', async () => {
    const draft = await ada.createDraft()
    await ada.show(draft)
    const reply = await ada.get(`/deposits/${draft.id}?prettyprint=1`)

    expect(reply.bytes.toString()).toMatch(/^\{\n {2}"id"/)
    expect(reply.body).toMatchObject({ id: draft.id })
  })

  it('links and Location have no trailing slash, even if the request had one', async () => {
    const reply = await ada.post('/deposits/', { json: {} })
    const { id, links } = bodyOf<DepositBody>(reply, 201)

    expect((await ada.get(`/deposits/${id}/`)).status).toBe(200)
    for (const link of Object.values(links)) expect(link).not.toMatch(/\/$/)
  })
})

describe('Endpoints: conditional requests of an item', () => {
  it('a stale If-Match is 412, names the current revision and changes nothing', async () => {
    const draft = await ada.createDraft()
    await ada.put(`/deposits/${draft.id}`, { title: 'Newer' })
    const before = await ada.state(draft)
    const stale = { 'if-match': '"0"' }

    const put = await ada.put(`/deposits/${draft.id}`, { title: 'Lost' }, stale)
    expectProblem(put, 'stale_revision', /"1"/)
    expectProblem(await ada.delete(`/deposits/${draft.id}`, stale), 'stale_revision', /"1"/)
    const publish = await ada.post(`/deposits/${draft.id}/actions/publish`, { headers: stale })
    expectProblem(publish, 'stale_revision', /"1"/)
    expect(await ada.state(draft)).toEqual(before)
  })

  it('a current If-Match, a list with it, or * is accepted', async () => {
    const draft = await ada.createDraft()
    for (const tag of ['"0"', '"7", "1"', '*']) {
      const reply = await ada.put(`/deposits/${draft.id}`, { title: tag }, { 'if-match': tag })
      expect(reply.status).toBe(200)
    }
  })

  it('If-None-Match with the current ETag is 304 without a body', async () => {
    const draft = await ada.createDraft()
    const path = `/deposits/${draft.id}`
    const hit = await ada.get(path, { 'if-none-match': '"0"' })

    expect(hit.status).toBe(304)
    expect(hit.bytes).toHaveLength(0)
    expect((await ada.get(path, { 'if-none-match': '"1"' })).status).toBe(200)
    // A compressing proxy makes our tag a weak one.
    expect((await ada.get(path, { 'if-none-match': '"7", W/"0"' })).status).toBe(304)
    expect((await ada.get(path, { 'if-none-match': 'W/"1"' })).status).toBe(200)
  })

  it('If-Modified-Since is 304 when nothing has changed', async () => {
    const draft = await ada.createDraft()
    const path = `/deposits/${draft.id}`
    const since = (await ada.get(path)).headers.get('last-modified') ?? ''

    expect((await ada.get(path, { 'if-modified-since': since })).status).toBe(304)
    const earlier = new Date(0).toUTCString()
    expect((await ada.get(path, { 'if-modified-since': earlier })).status).toBe(200)
  })

  it('every change of a deposit, its files included, raises its revision', async () => {
    const draft = await ada.createDraft()
    const path = `/deposits/${draft.id}`
    const revisions: (string | null)[] = []
    for (const change of [
      () => ada.upload(draft, 'a'),
      () => ada.putObject(draft, 'b', 'bytes'),
      () => ada.putObject(draft, 'b', 'other bytes'),
      () => ada.put(`${path}/files/a`, { filename: 'c' }),
      () => ada.delete(`${path}/files/c`),
    ]) {
      revisions.push((await change()).headers.get('deposit-revision'))
      expect((await ada.show(draft)).revision).toBe(revisions.length)
    }

    expect(revisions).toEqual(['1', '2', '3', '4', '5'])
  })
})

describe('Endpoints: fields that a client may not set', () => {
  const _deposit = { id: 'mine', status: 'published', owners: ['eve'], created_by: 'eve', pid: 7 }

  it('_deposit in a body is ignored on create, PUT and PATCH', async () => {
    const draft = await ada.createDraft({ title: 'x', _deposit })
    expect(draft.metadata._deposit).toMatchObject({ id: draft.id, status: 'draft' })
    expect(draft.metadata._deposit?.owners).toEqual([draft.metadata._deposit?.created_by])

    const put = await ada.put(`/deposits/${draft.id}`, { title: 'y', _deposit })
    expect(bodyOf<DepositBody>(put, 200).metadata._deposit).toEqual(draft.metadata._deposit)

    const operation = { op: 'replace', path: '/_deposit/owners', value: ['eve'] }
    await ada.patch(`/deposits/${draft.id}`, [operation])
    expect((await ada.show(draft)).metadata._deposit).toEqual(draft.metadata._deposit)
  })

  it('a foreign $schema is refused by POST, PUT and PATCH, and nothing is fetched', async () => {
    let connections = 0
    await using server = createServer(() => (connections += 1)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const $schema = `http://127.0.0.1:${port}/schemas/deposits/deposit-v1.0.0.json`
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const patch = [{ op: 'replace', path: '/$schema', value: $schema }]

    expect((await ada.post('/deposits/', { json: { $schema } })).status).toBe(400)
    expect((await ada.put(`/deposits/${draft.id}`, { $schema })).status).toBe(400)
    expect((await ada.patch(`/deposits/${draft.id}`, patch)).status).toBe(400)
    expect(await ada.state(draft)).toEqual(before)
    expect((await ada.act(draft, 'publish')).status).toBe(202)
    expect(connections).toBe(0)
  })

  it.for(['http://169.254.169.254/', 'file:///etc/passwd', 'deposits/nope.json', 7, {}])(
    '$schema %s is refused, and nothing is changed',
    async ($schema) => {
      const draft = await ada.createDraft()
      const before = await ada.state(draft)

      expect((await ada.post('/deposits/', { json: { $schema } })).status).toBe(400)
      expect((await ada.put(`/deposits/${draft.id}`, { $schema })).status).toBe(400)
      expect(await ada.state(draft)).toEqual(before)
    },
  )
})
