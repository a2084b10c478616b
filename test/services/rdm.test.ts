import { describe, expect, it } from 'vitest'
import { asJson, asText, type Json } from '../support/services/exchange.ts'
import { startRdm } from '../support/services/rdm/rdm.ts'
import type { FakeService } from '../support/services/service.ts'

const metadata = {
  resource_type: { id: 'dataset' },
  title: 'Tides of 2025',
  publication_date: '2025-12-31',
  publisher: 'Harbour Office',
  creators: [{ person_or_org: { type: 'personal', family_name: 'Lovelace', given_name: 'Ada' } }],
}

/** @see https://inveniordm.docs.cern.ch/reference/rest_api_drafts_records/ */
describe('a draft', () => {
  it('is made, filled in three steps, and published', async () => {
    await using rdm = await startRdm()
    const id = await created(rdm)
    const files = `/records/${id}/draft/files`
    expect(await call(rdm, 'POST', files, [{ key: 'data/a b.csv' }])).toMatchObject({
      status: 201,
      body: { entries: [{ key: 'data/a b.csv', status: 'pending' }] },
    })
    const file = `${files}/data%2Fa%20b.csv`
    expect((await call(rdm, 'POST', `${file}/commit`)).status).toBe(400)
    expect(await send(rdm, `${file}/content`, 'a,b')).toMatchObject({
      status: 200,
      body: { status: 'pending' },
    })
    expect((await call(rdm, 'POST', `/records/${id}/draft/actions/publish`)).body).toMatchObject({
      errors: [{ messages: ['One or more files have not completed their transfer, please wait.'] }],
    })
    expect(await call(rdm, 'POST', `${file}/commit`)).toMatchObject({
      status: 200,
      body: { status: 'completed', size: 3, checksum: 'md5:b345e1dc09f20fdefdea469f09167892' },
    })
    expect(await call(rdm, 'POST', `/records/${id}/draft/actions/publish`)).toMatchObject({
      status: 202,
      body: { is_published: true, is_draft: false, pids: { doi: { identifier: `10.5072/${id}` } } },
    })
    expect((await call(rdm, 'GET', `/records/${id}/draft`)).status).toBe(404)
    expect((await call(rdm, 'POST', `/records/${id}/draft/actions/publish`)).status).toBe(404)
    const bytes = await fetch(`${rdm.url}/api/records/${id}/files/data%2Fa%20b.csv/content`)
    expect(await bytes.text()).toBe('a,b')
  })

  it('is saved without what is wrong, which it says', async () => {
    await using rdm = await startRdm()
    const wrong = {
      ...metadata,
      title: '',
      languages: [{ id: 'en' }],
      resource_type: { id: 'tide' },
    }
    const made = await call(rdm, 'POST', '/records', { metadata: wrong, tide: 1 })
    expect(made.status).toBe(201)
    const { errors, metadata: saved } = asJson(made.body)
    expect((errors as { field: string }[]).map(({ field }) => field)).toEqual([
      'tide',
      'metadata.title',
      'metadata.resource_type',
      'metadata.languages.0',
    ])
    expect(errors).toContainEqual({
      field: 'metadata.title',
      messages: ['Shorter than minimum length 3.'],
    })
    expect(Object.keys(asJson(saved))).toEqual(['publication_date', 'publisher', 'creators'])
  })

  it('is not published without what is needed', async () => {
    await using rdm = await startRdm()
    const { body } = await call(rdm, 'POST', '/records', { pids: [], metadata: {} })
    const refused = await call(
      rdm,
      'POST',
      `/records/${asText(asJson(body)['id'])}/draft/actions/publish`,
      {},
    )
    expect(refused.status).toBe(400)
    const { errors } = refused.body as { errors: { field: string }[] }
    expect(errors.map(({ field }) => field)).toEqual([
      'metadata.resource_type',
      'metadata.creators',
      'metadata.title',
      'metadata.publication_date',
      'metadata.publisher',
      'files.enabled',
    ])
  })

  it('without files is published if it says so', async () => {
    await using rdm = await startRdm()
    const id = await created(rdm, { files: { enabled: false } })
    expect((await call(rdm, 'POST', `/records/${id}/draft/actions/publish`)).status).toBe(202)
  })

  it('gets its DOI before it is published, once', async () => {
    await using rdm = await startRdm()
    const id = await created(rdm)
    const doi = `/records/${id}/draft/pids/doi`
    expect(await call(rdm, 'POST', doi, {})).toMatchObject({
      status: 201,
      body: { pids: { doi: { provider: 'datacite' } } },
    })
    expect((await call(rdm, 'POST', doi, {})).status).toBe(400)
    expect((await call(rdm, 'DELETE', doi)).status).toBe(204)
  })

  it('is changed only at the revision that is named', async () => {
    await using rdm = await startRdm()
    const id = await created(rdm)
    const { body } = await call(rdm, 'GET', `/records/${id}/draft`)
    const revision = Number(asJson(body)['revision_id'])
    const put = async (match: string) =>
      (await call(rdm, 'PUT', `/records/${id}/draft`, { metadata }, { 'if-match': match })).status
    expect([
      await put(`"${revision}"`),
      await put(String(revision - 1)),
      await put(String(revision)),
    ]).toEqual([400, 412, 200])
  })
})

describe('a published record', () => {
  it('gets a new version without files, the same again, into which they are imported', async () => {
    await using rdm = await startRdm()
    const id = await publishedOne(rdm)
    const version = await call(rdm, 'POST', `/records/${id}/versions`)
    const next = asText(asJson(version.body)['id'])
    expect(version).toMatchObject({
      status: 201,
      body: { files: { count: 0 }, versions: { index: 2 } },
    })
    expect(asJson(asJson(version.body)['metadata'])['publication_date']).toBeUndefined()
    expect(await call(rdm, 'POST', `/records/${id}/versions`)).toMatchObject({ body: { id: next } })
    const action = `/records/${next}/draft/actions/files-import`
    expect(await call(rdm, 'POST', action)).toMatchObject({
      status: 201,
      body: { entries: [{ key: 'a.csv' }] },
    })
    expect(await call(rdm, 'POST', action)).toMatchObject({
      status: 400,
      body: { message: 'Please remove all files first.' },
    })
  })

  it('is edited without touching its files', async () => {
    await using rdm = await startRdm()
    const id = await publishedOne(rdm)
    expect(await call(rdm, 'POST', `/records/${id}/draft`)).toMatchObject({
      status: 201,
      body: { is_draft: true, is_published: true },
    })
    expect((await call(rdm, 'DELETE', `/records/${id}/draft/files/a.csv`)).status).toBe(403)
    expect((await call(rdm, 'DELETE', `/records/${id}/draft`)).status).toBe(204)
    expect((await call(rdm, 'GET', `/records/${id}`)).status).toBe(200)
  })
})

/** @see https://inveniordm.docs.cern.ch/reference/file_transfer/ */
describe('a file in parts', () => {
  const transfer = { type: 'M', parts: 2, part_size: 4 }

  it('is committed when all parts are there, with a digest that is not that of the whole', async () => {
    await using rdm = await startRdm()
    const id = await created(rdm)
    const files = `/records/${id}/draft/files`
    const begun = await call(rdm, 'POST', files, [{ key: 'a', size: 6, transfer }])
    const [entry] = asJson(begun.body)['entries'] as { links: { parts: { url: string }[] } }[]
    const [one, two] = entry?.links.parts ?? []
    const put = (url = '', body = '') => fetch(url, { method: 'PUT', headers: authorization, body })
    expect((await put(one?.url, 'abc')).status).toBe(400)
    expect((await put(one?.url, 'abcd')).status).toBe(200)
    expect((await call(rdm, 'POST', `${files}/a/commit`)).status).toBe(400)
    expect((await put(two?.url, 'ef')).status).toBe(200)
    expect(await call(rdm, 'POST', `${files}/a/commit`)).toMatchObject({
      status: 200,
      body: { size: 6, checksum: expect.stringMatching(/^multipart:[0-9a-f]{32}-2$/) as string },
    })
  })

  it('is forbidden by some', async () => {
    await using rdm = await startRdm({ parts: 'forbidden' })
    const id = await created(rdm)
    await call(rdm, 'POST', `/records/${id}/draft/files`, [{ key: 'a', size: 6, transfer }])
    expect((await send(rdm, `/records/${id}/draft/files/a/content/1`, 'abcd')).status).toBe(403)
  })
})

it('a search finds a change some requests later', async () => {
  await using rdm = await startRdm({ lag: 1 })
  await created(rdm)
  const total = async () =>
    asJson(asJson((await call(rdm, 'GET', '/user/records?q="tides of"')).body)['hits'])['total']
  expect([await total(), await total()]).toEqual([0, 1])
})

const authorization = { authorization: 'Bearer demo-token' }

interface Reply {
  readonly status: number
  readonly body: unknown
}

async function reply(response: Response): Promise<Reply> {
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}

async function call(
  { url }: FakeService,
  method: string,
  path: string,
  json?: unknown,
  more: Record<string, string> = {},
): Promise<Reply> {
  const headers = { ...authorization, 'content-type': 'application/json', ...more }
  const body = json !== undefined && { body: JSON.stringify(json) }
  return reply(await fetch(`${url}/api${path}`, { method, headers, ...body }))
}

async function send({ url }: FakeService, path: string, body: string): Promise<Reply> {
  const headers = { ...authorization, 'content-type': 'application/octet-stream' }
  return reply(await fetch(`${url}/api${path}`, { method: 'PUT', headers, body }))
}

async function created(rdm: FakeService, more: Json = {}): Promise<string> {
  const { status, body } = await call(rdm, 'POST', '/records', { metadata, ...more })
  expect(status).toBe(201)
  return asText(asJson(body)['id'])
}

async function publishedOne(rdm: FakeService): Promise<string> {
  const id = await created(rdm)
  await call(rdm, 'POST', `/records/${id}/draft/files`, [{ key: 'a.csv' }])
  await send(rdm, `/records/${id}/draft/files/a.csv/content`, 'a,b')
  await call(rdm, 'POST', `/records/${id}/draft/files/a.csv/commit`)
  expect((await call(rdm, 'POST', `/records/${id}/draft/actions/publish`)).status).toBe(202)
  return id
}
