import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { asJson, asText, type Json } from '../support/services/exchange.ts'
import { demoToken } from '../support/services/figshare/store.ts'
import { startFigshare } from '../support/services/figshare/figshare.ts'
import type { FakeService } from '../support/services/service.ts'

const article = {
  title: 'Tides of 2025',
  description: 'Every tide.',
  categories: [23],
  keywords: ['tide'],
  defined_type: 'dataset',
  license: 1,
  authors: [{ name: 'Ada Lovelace' }],
}

/** @see https://docs.figshare.com/#private_article_create */
describe('an article', () => {
  it('is made, filled and published', async () => {
    await using figshare = await startFigshare({ partSize: 4 })
    const path = await created(figshare)
    const file = await upload(figshare, path, 'tide.csv', 'abcdef')
    expect(file).toMatchObject({ status: 'available', computed_md5: md5('abcdef'), size: 6 })
    const published = await call(figshare, 'POST', `${path}/publish`)
    expect(published.status).toBe(201)
    const { location } = asJson(published.body)
    expect(await (await fetch(asText(location))).json()).toMatchObject({
      title: 'Tides of 2025',
      version: 1,
      is_public: true,
    })
    expect((await call(figshare, 'DELETE', path)).status).toBe(403)
  })

  it('gets a version only of a change', async () => {
    await using figshare = await startFigshare()
    const path = await created(figshare)
    await upload(figshare, path, 'a', 'a')
    await call(figshare, 'POST', `${path}/publish`)
    expect((await call(figshare, 'POST', `${path}/publish`)).status).toBe(400)
    expect((await call(figshare, 'PUT', path, { title: 'Other' })).status).toBe(205)
    expect((await call(figshare, 'POST', `${path}/publish`)).status).toBe(201)
    const id = path.split('/').at(-1)
    expect(await (await fetch(`${figshare.url}/v2/articles/${id}/versions`)).json()).toHaveLength(2)
  })

  it('is not published without what is mandatory', async () => {
    await using figshare = await startFigshare()
    const path = await created(figshare, { title: 'Tides' })
    expect(await call(figshare, 'POST', `${path}/publish`)).toMatchObject({
      status: 400,
      body: {
        data: {
          missing: ['description', 'categories', 'tags', 'defined_type', 'license', 'files'],
        },
      },
    })
  })

  it.for<[string, Json]>([
    ['title', {}],
    ['title', { title: 'x' }],
    ['license', { title: 'Tides', license: 99 }],
    ['defined_type', { title: 'Tides', defined_type: 'tide' }],
    ['categories', { title: 'Tides', categories: [1] }],
  ])('is refused for its %s', async ([field, body]) => {
    await using figshare = await startFigshare()
    expect(await call(figshare, 'POST', '/v2/account/articles', body)).toMatchObject({
      status: 422,
      body: { data: { field } },
    })
  })

  it('is listed page by page, and found by a search later', async () => {
    await using figshare = await startFigshare({ lag: 1 })
    for (let at = 0; at < 3; at += 1)
      await created(figshare, {
        title: `Tide ${at}`,
        references: ['https://example.org/urn:uuid:1'],
      })
    const list = async (query: string) =>
      (await call(figshare, 'GET', `/v2/account/articles?${query}`)).body
    expect(await list('page_size=2')).toMatchObject([{ title: 'Tide 2' }, { title: 'Tide 1' }])
    expect(await list('page_size=2&page=2')).toMatchObject([{ title: 'Tide 0' }])
    expect((await call(figshare, 'GET', '/v2/account/articles?page=1&limit=2')).status).toBe(422)
    const search = async () =>
      (await call(figshare, 'POST', '/v2/account/articles/search', { search_for: 'urn:uuid:1' }))
        .body
    await created(figshare, { title: 'Tide 3', references: ['https://example.org/urn:uuid:1'] })
    expect([await search(), await search()].map((found) => (found as unknown[]).length)).toEqual([
      3, 4,
    ])
  })

  it('shows its first ten files, and all of them page by page', async () => {
    await using figshare = await startFigshare()
    const path = await created(figshare)
    for (let at = 0; at < 12; at += 1) await upload(figshare, path, `${at}.txt`, `${at}`)
    await call(figshare, 'POST', `${path}/publish`)
    for (const each of [path, path.replace('/account', '')]) {
      const shown = asJson((await call(figshare, 'GET', each)).body)
      expect(shown['files']).toHaveLength(10)
      const list = async (query: string) =>
        (await call(figshare, 'GET', `${each}/files${query}`)).body
      expect(await list('')).toHaveLength(10)
      expect(await list('?page=2')).toMatchObject([{ name: '10.txt' }, { name: '11.txt' }])
      expect(await list('?page=1&page_size=100')).toHaveLength(12)
    }
  })

  it('is only for who has its token', async () => {
    await using figshare = await startFigshare({ tokens: { 'demo-token': 1, other: 2 } })
    const path = await created(figshare)
    expect((await fetch(figshare.url + path)).status).toBe(401)
    expect(
      (await fetch(figshare.url + path, { headers: { authorization: 'token other' } })).status,
    ).toBe(404)
    expect((await fetch(`${figshare.url}${path}?access_token=demo-token`)).status).toBe(200)
  })

  it('is not sent again if it is as it was', async () => {
    await using figshare = await startFigshare()
    const path = await created(figshare)
    const headers = { authorization: `token ${demoToken}` }
    const first = await fetch(figshare.url + path, { headers })
    const etag = first.headers.get('etag') ?? ''
    expect(
      (await fetch(figshare.url + path, { headers: { ...headers, 'if-none-match': etag } })).status,
    ).toBe(304)
  })
})

/** @see https://github.com/figshare/user_documentation `docs/api/file_uploader.md` */
describe('a file', () => {
  it('says which of its parts are there', async () => {
    await using figshare = await startFigshare({ partSize: 4 })
    const path = await created(figshare)
    const { upload_url } = await begun(figshare, path, 'a', 'abcdef')
    const put = (part: number, body: string) =>
      fetch(`${asText(upload_url)}/${part}`, { method: 'PUT', body })
    expect((await put(2, 'ef')).status).toBe(200)
    expect(await (await fetch(asText(upload_url))).json()).toMatchObject({
      status: 'PENDING',
      parts: [
        { partNo: 1, startOffset: 0, endOffset: 3, status: 'PENDING', locked: false },
        { partNo: 2, startOffset: 4, endOffset: 5, status: 'COMPLETE', locked: false },
      ],
    })
    expect((await fetch(`${asText(upload_url)}/2`, { method: 'DELETE' })).status).toBe(200)
    expect(await (await fetch(`${asText(upload_url)}/2`)).json()).toMatchObject({
      status: 'PENDING',
    })
    expect((await put(3, 'x')).status).toBe(404)
  })

  it('that is cut short waits in vain, and its part stays open', async () => {
    await using figshare = await startFigshare({ partSize: 4, patience: 10 })
    const path = await created(figshare)
    const { upload_url } = await begun(figshare, path, 'a', 'abcd')
    await expect(fetch(`${asText(upload_url)}/1`, { method: 'PUT', body: 'ab' })).rejects.toThrow()
    expect(await (await fetch(`${asText(upload_url)}/1`)).json()).toMatchObject({
      status: 'PENDING',
      locked: false,
    })
  })

  it('whose MD5 is not as told fails when it is checked, and blocks publishing', async () => {
    await using figshare = await startFigshare({ checkLasts: 1 })
    const path = await created(figshare)
    const { location, upload_url } = await begun(figshare, path, 'a', 'abcd')
    expect((await call(figshare, 'POST', asText(location))).status).toBe(400)
    await fetch(`${asText(upload_url)}/1`, { method: 'PUT', body: 'abcX' })
    expect((await call(figshare, 'POST', asText(location))).status).toBe(202)
    expect((await call(figshare, 'GET', asText(location))).body).toMatchObject({
      status: 'ic_checking',
      computed_md5: '',
    })
    expect((await call(figshare, 'GET', asText(location))).body).toMatchObject({
      status: 'ic_failure',
      computed_md5: md5('abcX'),
    })
    expect((await call(figshare, 'POST', `${path}/publish`)).status).toBe(400)
  })

  it('may have the name of another, but not more bytes than there is room for', async () => {
    await using figshare = await startFigshare({ quota: 10 })
    const path = await created(figshare)
    await upload(figshare, path, 'a', 'abcd')
    await upload(figshare, path, 'a', 'abcd')
    expect((await call(figshare, 'POST', `${path}/files`, { name: 'a', size: 4 })).status).toBe(400)
    expect((await call(figshare, 'GET', `${path}/files`)).body).toMatchObject([
      { name: 'a' },
      { name: 'a' },
    ])
  })
})

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

interface Reply {
  readonly status: number
  readonly body: unknown
}

async function call(
  { url }: FakeService,
  method: string,
  path: string,
  json?: unknown,
): Promise<Reply> {
  const body = json !== undefined && { body: JSON.stringify(json) }
  const reply = await fetch(new URL(path, url), {
    method,
    headers: { authorization: `token ${demoToken}` },
    ...body,
  })
  const text = await reply.text()
  return { status: reply.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}

/** @returns the path of the article */
async function created(figshare: FakeService, body: Json = article): Promise<string> {
  const made = await call(figshare, 'POST', '/v2/account/articles', body)
  expect(made.status).toBe(201)
  return new URL(asText(asJson(made.body)['location'])).pathname
}

async function begun(
  figshare: FakeService,
  path: string,
  name: string,
  bytes: string,
): Promise<Json> {
  const made = await call(figshare, 'POST', `${path}/files`, {
    name,
    size: bytes.length,
    md5: md5(bytes),
  })
  const { location } = asJson(made.body)
  return { location, ...asJson((await call(figshare, 'GET', asText(location))).body) }
}

async function upload(
  figshare: FakeService,
  path: string,
  name: string,
  bytes: string,
): Promise<unknown> {
  const { location, upload_url } = await begun(figshare, path, name, bytes)
  const { parts } = (await (await fetch(asText(upload_url))).json()) as {
    parts: { partNo: number; startOffset: number; endOffset: number }[]
  }
  for (const { partNo, startOffset, endOffset } of parts) {
    const body = bytes.slice(startOffset, endOffset + 1)
    expect((await fetch(`${asText(upload_url)}/${partNo}`, { method: 'PUT', body })).status).toBe(
      200,
    )
  }
  expect((await call(figshare, 'POST', asText(location))).status).toBe(202)
  await call(figshare, 'GET', asText(location))
  return (await call(figshare, 'GET', asText(location))).body
}
