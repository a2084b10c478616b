import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, send } from '../support/http.ts'
import { rawRequest, head } from '../support/raw-request.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const foreign = { origin: 'https://observablehq.com', 'sec-fetch-site': 'cross-site' }
const script = { ...foreign, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const image = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'no-cors',
  'sec-fetch-dest': 'image',
}

let daemon: TestDaemon
let published: DepositBody
let draft: DepositBody
/** The public addresses of the published deposit. */
let open: Readonly<
  Record<'list' | 'record' | 'revisions' | 'linkset' | 'page' | 'files' | 'file', string>
>

beforeAll(async () => {
  daemon = await testDaemon()
  const ada = daemon.as('ada')
  const made = await ada.createDraft({ title: 'Tide', description: 'Sea level. '.repeat(1000) })
  const { links } = await ada.addFile(made, 'data.csv', 'time,level\n'.repeat(1000))
  published = await ada.publish(made)
  draft = await ada.createDraftWith('secret.csv')
  const record = published.links['record'] ?? ''
  open = {
    list: `${daemon.url}/records`,
    record,
    revisions: `${record}/revisions`,
    linkset: `${record}/export/linkset`,
    page: published.links['record_html'] ?? '',
    files: published.links['bucket'] ?? '',
    file: links.download,
  }
})
afterAll(() => daemon[Symbol.asyncDispose]())

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  send('GET', url, { headers })
const shared = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control'))

describe('A page of another origin', () => {
  it('reads records, their pages, links and files, and headers such as ETag and Link', async () => {
    for (const url of Object.values(open)) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await send(method, url, { headers: script })
        expect([url, status]).toEqual([url, 200])
        expect(headers.get('access-control-allow-origin')).toBe('*')
        expect(headers.get('access-control-allow-credentials')).toBeNull()
        expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
        const exposed = headers.get('access-control-expose-headers') ?? ''
        expect(exposed).toMatch(/Content-Range.*ETag.*Link.*Repr-Digest/)
      }
    }
    const part = await get(open.file, { ...script, range: 'bytes=0-3' })
    expect([part.status, part.bytes.toString()]).toEqual([206, 'time'])
    expect((await get(open.file, image)).status).toBe(200)
    const missing = await get(`${open.files}/none`, script)
    expect([missing.status, shared(missing.headers).length > 0]).toEqual([404, true])
  })

  it('learns from the preflight that it may send Range, and no token', async () => {
    for (const url of Object.values(open)) {
      const ask = {
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
      }
      const { status, headers } = await send('OPTIONS', url, { headers: { ...script, ...ask } })
      expect([url, status]).toEqual([url, 204])
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD')
      const sendable = headers.get('access-control-allow-headers') ?? ''
      expect(sendable).toMatch(/Accept, .*Range/)
      expect(sendable).not.toMatch(/authorization/i)
    }
  })

  it('can read nothing with a token or a link, and change nothing', async () => {
    const token = await daemon.as('ada').authorization()
    for (const url of Object.values(open)) {
      const refused = [
        await get(url, { ...script, ...token }),
        await get(`${url}?ticket=x`, script),
        await get(`${url}?%74icket=x`, script),
        await get(`${url}?access_token=x`, script),
        ...(await Promise.all(
          ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) =>
            send(method, url, { headers: script }),
          ),
        )),
        ...(await Promise.all(
          ['PUT', 'DELETE', 'POST'].map((method) =>
            send('OPTIONS', url, {
              headers: { ...script, 'access-control-request-method': method },
            }),
          ),
        )),
        await get(url, { ...script, 'sec-fetch-dest': 'script' }),
        await get(url, { ...script, 'sec-fetch-dest': 'iframe' }),
      ]
      for (const { status, headers } of refused) {
        expect([url, status]).toEqual([url, 403])
        expect(shared(headers)).toEqual([])
      }
    }
  })

  it('reads no draft, and does not learn whether there are any', async () => {
    const { links } = draft
    const bucket = links['bucket'] ?? ''
    const closed = [
      links['self'] ?? '',
      links['files'] ?? '',
      bucket,
      `${bucket}/secret.csv`,
      `${daemon.url}/files/00000000-0000-4000-8000-000000000000/a`,
      `${daemon.url}/deposits`,
      `${daemon.url}/me`,
      `${daemon.origin}/openapi.json`,
      links['html'] ?? '',
    ]
    for (const url of closed) {
      for (const headers of [script, image]) {
        const reply = await get(url, headers)
        expect([url, reply.status, shared(reply.headers)]).toEqual([url, 403, []])
      }
      const ask = { ...script, 'access-control-request-method': 'GET' }
      const told = await send('OPTIONS', url, { headers: ask })
      expect([url, told.status, shared(told.headers)]).toEqual([url, 403, []])
    }
  })

  it('reads the files of a record, not its older versions, while the next is a draft', async () => {
    const ada = daemon.as('ada')
    const made = bodyOf<DepositBody>(await ada.act(published, 'newversion'), 201)
    await ada.addFile(made, 'more.csv')
    const bucket = made.links['bucket'] ?? ''

    expect((await get(bucket, script)).status).toBe(403)
    expect((await get(open.files, script)).status).toBe(200)
    const [{ version_id: version } = { version_id: '' }] = await ada.files(made)
    const older = await get(`${open.file}?versionId=${version}`, script)
    expect([older.status, older.bytes.includes('level')]).toEqual([401, false])
  })
})

describe('Public content', () => {
  it('is cached for an hour, and revalidated by its entity tag', async () => {
    for (const url of Object.values(open)) {
      const { headers } = await get(url)
      expect([url, headers.get('cache-control')]).toEqual([url, 'public, max-age=3600'])
      expect(headers.get('vary')).toMatch(/authorization/)
      const etag = headers.get('etag')
      if (etag === null) continue
      const again = await get(url, { 'if-none-match': etag })
      expect([url, again.status, again.bytes.length]).toEqual([url, 304, 0])
      expect(again.headers.get('cache-control')).toBe('public, max-age=3600')
    }
  })

  it('is not cached when it was requested with a token, or when the request failed', async () => {
    const token = await daemon.as('ada').authorization()
    for (const url of [open.list, open.record, open.files, open.file]) {
      const { headers, status } = await get(url, token)
      expect([url, status]).toEqual([url, 200])
      expect(headers.get('cache-control')).toMatch(/^private, no-(?:store|cache)$/)
      expect(shared(headers)).toEqual([])
    }
    const failed = await get(open.file, { range: 'bytes=999999-' })
    expect([failed.status, failed.headers.get('cache-control')]).toEqual([416, 'no-store'])
    const missing = await get(`${daemon.url}/records/none`)
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store'])
  })

  it('links from each file to the record', async () => {
    const { headers } = await get(open.file)
    expect(headers.get('link')).toBe(`<${open.page}>; rel="collection"; type="text/html"`)
  })
})

describe('A long text', () => {
  it.for([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
  ] as const)(
    'is compressed for %j by %s, with an entity tag of its own',
    async ([accepted, coding]) => {
      for (const url of [open.record, open.page]) {
        const plain = await get(url, { 'accept-encoding': 'identity' })
        const packed = await get(url, { 'accept-encoding': accepted })
        expect([url, packed.headers.get('content-encoding')]).toEqual([url, coding])
        expect(packed.headers.get('vary')).toMatch(/accept-encoding/)
        expect(plain.headers.get('vary')).toMatch(/accept-encoding/)
        expect(packed.bytes.equals(plain.bytes)).toBe(true)
        expect(Number(plain.headers.get('content-length'))).toBe(plain.bytes.length)
        const etag = plain.headers.get('etag') ?? ''
        expect(packed.headers.get('etag')).toBe(`W/${etag}`)
        expect((await get(url, { 'if-none-match': `W/${etag}` })).status).toBe(304)
      }
    },
  )

  it('is sent uncompressed to clients that accept no other form, as are all files and short texts', async () => {
    for (const headers of [{ 'accept-encoding': 'identity' }, { 'accept-encoding': 'deflate' }]) {
      expect((await get(open.page, headers)).headers.get('content-encoding')).toBeNull()
    }
    const wanted = { 'accept-encoding': 'br, gzip' }
    for (const url of [open.file, `${daemon.origin}/health`]) {
      expect((await get(url, wanted)).headers.get('content-encoding')).toBeNull()
    }
  })
})

describe('A probe', () => {
  it.for(['10.1.2.3:8420', '[fd00::7]:8420', 'prometheus:9090', 'evil.example'])(
    'may ask for health under the name %s, but for metrics only under an address',
    async (host) => {
      const ask = async (path: string): Promise<number> => {
        const line = head(`GET ${path}`, { host, connection: 'close' })
        return (await rawRequest(daemon.origin, line)).status
      }
      const isAddress = /^[\d[]/.test(host)

      expect(await ask('/health')).toBe(200)
      expect(await ask('/ready')).toBe(200)
      expect(await ask('/metrics')).toBe(isAddress ? 200 : 421)
      expect(await ask('/api/records')).toBe(421)
    },
  )
})

describe('A patch', () => {
  it('may be a merge patch: null removes a field, others are merged', async () => {
    const ada = daemon.as('ada')
    const { id } = await ada.createDraft({ title: 'a', notes: 'x', custom: { a: 1, b: [1] } })
    const patch = {
      notes: null,
      custom: { b: [2], c: { d: 1, e: null } },
      _deposit: { status: 'x' },
    }
    const headers = { 'content-type': 'application/merge-patch+json' }
    const path = `/deposits/${id}`

    const reply = await ada.send('PATCH', path, { json: patch, headers })

    const { metadata } = bodyOf<DepositBody>(reply, 200)
    expect(metadata).toMatchObject({ title: 'a', custom: { a: 1, b: [2], c: { d: 1 } } })
    expect(metadata).not.toHaveProperty('notes')
    expect(metadata._deposit?.status).toBe('draft')
    expect((await ada.send('PATCH', path, { json: [], headers })).status).toBe(400)
  })

  it('is announced by OPTIONS, and by the refusal of another type', async () => {
    const ada = daemon.as('ada')
    const formats = 'application/json-patch+json, application/merge-patch+json'
    const headers = { 'content-type': 'text/plain' }
    for (const url of [`/deposits/${draft.id}`, open.record]) {
      const told = await ada.send('OPTIONS', url)
      const refused = await ada.send('PATCH', url, { body: 'x', headers })
      expect([told.status, told.headers.get('accept-patch')]).toEqual([204, formats])
      expect([refused.status, refused.headers.get('accept-patch')]).toEqual([415, formats])
    }
  })
})
