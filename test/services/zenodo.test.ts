import { describe, expect, it } from 'vitest'
import { isJson, type Json } from '../support/services/exchange.ts'
import type { FakeService } from '../support/services/service.ts'
import { startZenodo } from '../support/services/zenodo/zenodo.ts'

const metadata = {
  upload_type: 'dataset',
  title: 'Tides of 2025',
  description: 'Every tide of a year.',
  creators: [{ name: 'Lovelace, Ada' }],
}

/** @see https://developers.zenodo.org/#quickstart-upload */
describe('a deposition', () => {
  it('is made, filled, described and published', async () => {
    await using zenodo = await startZenodo()
    const made = await call(zenodo, 'POST', depositions, {})
    expect(made).toMatchObject({
      status: 201,
      body: { state: 'unsubmitted', submitted: false, title: '' },
    })
    const { id, bucket } = seen(made)
    const put = await send(zenodo, `${bucket}/tide%20a.csv`, 'a,b')
    expect(put).toMatchObject({
      status: 201,
      body: { key: 'tide a.csv', size: 3, checksum: 'md5:b345e1dc09f20fdefdea469f09167892' },
    })
    expect(await call(zenodo, 'PUT', `${depositions}/${id}`, { metadata })).toMatchObject({
      status: 200,
    })
    expect(await call(zenodo, 'POST', `${depositions}/${id}/actions/publish`)).toMatchObject({
      status: 202,
      body: {
        state: 'done',
        submitted: true,
        doi: `10.5072/zenodo.${id}`,
        files: [{ filename: 'tide a.csv', checksum: 'b345e1dc09f20fdefdea469f09167892' }],
      },
    })
    const record = await fetch(`${zenodo.url}/api/records/${id}`)
    expect(await record.json()).toMatchObject({ metadata: { resource_type: { type: 'dataset' } } })
    const bytes = await fetch(`${zenodo.url}/api/records/${id}/files/tide%20a.csv/content`)
    expect(await bytes.text()).toBe('a,b')
  })

  it('has a concept whose number is one less, and leads to the newest version', async () => {
    await using zenodo = await startZenodo()
    const { id } = await published(zenodo)
    const concept = Number(id) - 1
    const found = await call(zenodo, 'GET', `${depositions}/${id}`)
    expect(found.body).toMatchObject({ conceptrecid: String(concept) })
    const led = await fetch(`${zenodo.url}/api/records/${concept}`)
    expect(led.url).toBe(`${zenodo.url}/api/records/${id}`)
  })

  it('is not published without a file and what must be said', async () => {
    await using zenodo = await startZenodo()
    const { id } = seen(await call(zenodo, 'POST', depositions, {}))
    const refused = await call(zenodo, 'POST', `${depositions}/${id}/actions/publish`)
    expect(refused).toMatchObject({
      status: 400,
      body: { message: 'A validation error occurred.' },
    })
    const { errors } = refused.body as { errors: { field: string }[] }
    expect(errors.map(({ field }) => field)).toEqual([
      'metadata.resource_type',
      'metadata.publication_date',
      'metadata.title',
      'metadata.creators',
      'files.enabled',
    ])
  })

  it('is found by a search only some requests later, its identifier only in quotes', async () => {
    await using zenodo = await startZenodo({ lag: 1 })
    const related_identifiers = [{ identifier: 'urn:uuid:1-2', relation: 'isAlternateIdentifier' }]
    await call(zenodo, 'POST', depositions, { metadata: { ...metadata, related_identifiers } })
    const search = async (q: string) =>
      (await call(zenodo, 'GET', `${depositions}?q=${encodeURIComponent(q)}`)).body
    expect(await search('"urn:uuid:1-2"')).toEqual([])
    expect(await search('"urn:uuid:1-2"')).toHaveLength(1)
    expect(await search('urn:uuid:1-2')).toHaveLength(0)
    expect(await search('"urn:uuid:1-3"')).toHaveLength(0)
  })
})

/** @see https://github.com/zenodo/zenodo-rdm `site/tests/legacy/deposits/test_rest_api_simpleflow.py` */
describe('a published deposition', () => {
  it('cannot be published, changed or deleted again, nor its files', async () => {
    await using zenodo = await startZenodo()
    const { id, bucket } = await published(zenodo)
    const self = `${depositions}/${id}`
    expect((await call(zenodo, 'POST', `${self}/actions/publish`)).status).toBe(404)
    expect((await call(zenodo, 'PUT', self, { metadata })).status).toBe(404)
    expect((await call(zenodo, 'DELETE', self)).status).toBe(404)
    expect((await call(zenodo, 'PUT', `${self}/files`, [])).status).toBe(405)
    expect((await send(zenodo, `${bucket}/other`, 'x')).status).toBe(404)
    const { body } = await call(zenodo, 'GET', `${self}/files`)
    const [file] = body as { links: { self: string } }[]
    expect((await call(zenodo, 'DELETE', file?.links.self ?? '')).status).toBe(403)
  })

  it('is edited without touching its files', async () => {
    await using zenodo = await startZenodo()
    const { id, bucket } = await published(zenodo)
    const edit = await call(zenodo, 'POST', `${depositions}/${id}/actions/edit`)
    expect(edit).toMatchObject({ status: 201, body: { state: 'inprogress', submitted: true } })
    expect((await send(zenodo, `${bucket}/other`, 'x')).status).toBe(403)
    const title = { metadata: { ...metadata, title: 'Other' } }
    expect((await call(zenodo, 'PUT', `${depositions}/${id}`, title)).status).toBe(200)
    expect(await call(zenodo, 'POST', `${depositions}/${id}/actions/publish`)).toMatchObject({
      status: 202,
      body: { title: 'Other' },
    })
  })

  it('gets a new version with its files, without its date, and only one', async () => {
    await using zenodo = await startZenodo()
    const { id } = await published(zenodo)
    const version = await call(zenodo, 'POST', `${depositions}/${id}/actions/newversion`)
    const { id: next } = seen(version)
    expect(version).toMatchObject({ status: 201, body: { files: [{ filename: 'one.csv' }] } })
    expect(next).not.toBe(id)
    expect(await call(zenodo, 'POST', `${depositions}/${id}/actions/newversion`)).toMatchObject({
      status: 400,
      body: { message: 'Please remove all files first.' },
    })
    expect(await call(zenodo, 'POST', `${depositions}/${next}/actions/publish`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'metadata.publication_date' }] },
    })
  })

  it('answers as the documentation says, where that is wanted', async () => {
    await using zenodo = await startZenodo({ manner: 'documented' })
    const { id } = await published(zenodo, 200)
    const version = await call(zenodo, 'POST', `${depositions}/${id}/actions/newversion`)
    expect(seen(version).id).toBe(id)
    const again = await call(zenodo, 'POST', `${depositions}/${id}/actions/newversion`)
    expect(again.status).toBe(201)
    expect((await call(zenodo, 'POST', `${depositions}/${id}/actions/publish`)).status).toBe(403)
  })
})

describe('Zenodo refuses', () => {
  it('who shows no token, a wrong one, one without the scope, or that of another', async () => {
    const tokens = [
      { token: 'demo-token', user: 1 },
      { token: 'writes', user: 1, scopes: ['deposit:write'] },
      { token: 'other', user: 2 },
    ]
    await using zenodo = await startZenodo({ tokens })
    const { id } = await published(zenodo)
    const status = async (method: string, path: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      return (await fetch(`${zenodo.url}${depositions}${path}`, { method, headers })).status
    }
    expect(await status('GET', '')).toBe(403)
    expect(await status('GET', '', 'guess')).toBe(401)
    expect(await status('POST', `/${id}/actions/edit`, 'writes')).toBe(403)
    expect(await status('GET', `/${id}`, 'other')).toBe(403)
    expect((await fetch(`${zenodo.url}${depositions}/${id}?access_token=demo-token`)).status).toBe(
      200,
    )
  })

  it.for<[string, unknown, string]>([
    ['an unknown field beside the metadata', { unknown: 1, metadata: {} }, 'unknown'],
    [
      'related identifiers that are no list',
      { metadata: { related_identifiers: 'x' } },
      'metadata.related_identifiers',
    ],
    ['a license that is a number', { metadata: { license: 123 } }, 'metadata.license'],
    [
      'communities without identifiers',
      { metadata: { communities: [{ id: 'c' }] } },
      'communities',
    ],
    ['a type that is none', { metadata: { upload_type: 'tide' } }, 'metadata.upload_type'],
  ])('%s', async ([, body, field]) => {
    await using zenodo = await startZenodo()
    expect(await call(zenodo, 'POST', depositions, body)).toMatchObject({
      status: 400,
      body: { status: 400, message: 'A validation error occurred.', errors: [{ field }] },
    })
  })

  it('a file too many, bytes too many, an empty file, and a name with a slash', async () => {
    await using zenodo = await startZenodo({ maxFiles: 1, quota: 10 })
    const { bucket } = seen(await call(zenodo, 'POST', depositions, {}))
    expect(await send(zenodo, `${bucket}/a`, 'x'.repeat(11))).toMatchObject({
      status: 400,
      body: { message: 'Bucket quota exceeded.' },
    })
    expect(await send(zenodo, `${bucket}/a`, '')).toMatchObject({
      status: 400,
      body: { message: 'Empty files are not accepted.' },
    })
    expect((await send(zenodo, `${bucket}/a%2Fb`, 'x')).status).toBe(404)
    expect((await send(zenodo, `${bucket}/a`, 'x')).status).toBe(201)
    expect((await send(zenodo, `${bucket}/a`, 'y')).status).toBe(201)
    expect((await send(zenodo, `${bucket}/b`, 'x')).status).toBe(400)
  })

  it('more requests than its headers say', async () => {
    await using zenodo = await startZenodo({ limit: 2 })
    const first = await call(zenodo, 'GET', depositions)
    expect(first.headers.get('x-ratelimit-limit')).toBe('2')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1')
    await call(zenodo, 'GET', depositions)
    const third = await call(zenodo, 'GET', depositions)
    expect(third.status).toBe(429)
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

it('the old interface takes a file as a form', async () => {
  await using zenodo = await startZenodo()
  const { id } = seen(await call(zenodo, 'POST', depositions, {}))
  const form = new FormData()
  form.append('name', 'my file.csv')
  form.append('file', new Blob(['a\r\n--b']), 'other.csv')
  const reply = await fetch(`${zenodo.url}${depositions}/${id}/files`, {
    method: 'POST',
    headers: authorization,
    body: form,
  })
  expect(reply.status).toBe(201)
  expect(await reply.json()).toMatchObject({ filename: 'my_file.csv', filesize: 6 })
})

it('a connection that breaks in the middle of a file leaves none', async () => {
  await using zenodo = await startZenodo()
  const { bucket } = seen(await call(zenodo, 'POST', depositions, {}))
  zenodo.misbehave({ next: ['cutRequest'] })
  await expect(send(zenodo, `${bucket}/a`, 'x'.repeat(100_000))).rejects.toThrow()
  expect(zenodo.state()).toMatchObject([{ draft: { files: [] } }])
})

const depositions = '/api/deposit/depositions'
const authorization = { authorization: 'Bearer demo-token' }

interface Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Headers
}

async function reply(response: Response): Promise<Reply> {
  const text = await response.text()
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, body, headers: response.headers }
}

/** @param path address, or the path of one */
async function call(
  { url }: FakeService,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const json = body !== undefined && { body: JSON.stringify(body) }
  const headers = { ...authorization, 'content-type': 'application/json' }
  return reply(await fetch(new URL(path, url), { method, headers, ...json }))
}

async function send({ url }: FakeService, path: string, body: string): Promise<Reply> {
  return reply(await fetch(new URL(path, url), { method: 'PUT', headers: authorization, body }))
}

function seen({ body }: Reply): { readonly id: string; readonly bucket: string } {
  const { id, links } = isJson(body) ? body : ({} as Json)
  return { id: String(Number(id)), bucket: (links as { bucket: string }).bucket }
}

async function published(zenodo: FakeService, stored = 201) {
  const made = seen(await call(zenodo, 'POST', depositions, { metadata }))
  expect((await send(zenodo, `${made.bucket}/one.csv`, 'a,b')).status).toBe(stored)
  const done = await call(zenodo, 'POST', `${depositions}/${made.id}/actions/publish`)
  expect(done.status).toBe(202)
  return made
}
