import { createHash } from 'node:crypto'
import { readdir, readlink } from 'node:fs/promises'
import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { abortedRequest, head } from '../support/raw-request.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

const objectUrl = ({ links }: Pick<DepositBody, 'links'>, key: string) =>
  `${links['bucket']}/${key}`
const digest = (text: string, algorithm: string) =>
  createHash(algorithm).update(text).digest('base64')

describe('/files/{bucket}/{key}', () => {
  it('PUT answers 201 for a new key, 200 for a new version of it', async () => {
    const draft = await ada.createDraft()
    const first = bodyOf<FileBody>(await ada.putObject(draft, 'a.txt', 'first'), 201)
    const second = bodyOf<FileBody>(await ada.putObject(draft, 'a.txt', 'second'), 200)

    expect(second.id).toBe(first.id)
    expect(second.version_id).not.toBe(first.version_id)
    expect((await ada.get(second.links.download)).bytes.toString()).toBe('second')
  })

  it('PUT with If-None-Match: * never replaces a file: 412', async () => {
    const draft = await ada.createDraftWith('a.txt')
    const before = await ada.state(draft)
    const headers = { 'if-none-match': '*' }
    const put = (key: string) => ada.send('PUT', objectUrl(draft, key), { body: 'other', headers })

    expectProblem(await put('a.txt'), 'precondition_failed', 'Filename already exists.')
    expect(await ada.state(draft)).toEqual(before)
    expect((await put('b.txt')).status).toBe(201)
  })

  it('PUT accepts bytes of any media type, but a media range is 415', async () => {
    const draft = await ada.createDraft()
    const put = (type: string) =>
      ada.send('PUT', objectUrl(draft, 'a'), { body: '{}', headers: { 'content-type': type } })

    for (const range of ['*/*', 'text/*', '*/*; charset=utf-8']) {
      expectProblem(await put(range), 'unsupported_media_type', /application\/octet-stream/)
    }
    expect(await ada.keys(draft)).toEqual([])
    expect((await put('application/octet-stream')).status).toBe(201)
    expect((await put('chemical/x-pdb')).status).toBe(200)
  })

  it('PUT accepts an empty file, and a key with folders', async () => {
    const draft = await ada.createDraft()
    const reply = await ada.send('PUT', objectUrl(draft, 'dir/%C3%8Ele.txt'), { body: '' })

    expect(bodyOf<FileBody>(reply, 201)).toMatchObject({ filename: 'dir/Île.txt', filesize: 0 })
  })

  it.for([
    ['repr-digest', `sha-256=:${digest('content', 'sha256')}:`],
    ['content-md5', digest('content', 'md5')],
  ])('PUT checks %s: a mismatch is 400, and nothing is kept', async ([name = '', value = '']) => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()
    const put = (body: string, given: string) =>
      ada.send('PUT', objectUrl(draft, 'a'), { body, headers: { [name]: given } })

    expectProblem(await put('other', value), 'checksum_mismatch', /Nothing was kept/)
    expectProblem(await put('content', 'sha-256=nonsense'), 'malformed_request')
    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
    expect((await put('content', value)).status).toBe(201)
  })

  it('GET answers the bytes with their digest as ETag, and 304 to a client that has them', async () => {
    const draft = await ada.createDraft()
    const { checksum, links } = await ada.addFile(draft, 'a.txt', 'content')
    const reply = await ada.get(links.download)

    expect(reply.bytes.toString()).toBe('content')
    expect(reply.headers.get('etag')).toBe(`"${checksum}"`)
    expect(reply.headers.get('repr-digest')).toBe(`sha-256=:${digest('content', 'sha256')}:`)
    const again = await ada.get(links.download, { 'if-none-match': `"${checksum}"` })
    expect(again.status).toBe(304)
  })

  it.for([
    ['bytes=0-0', 'c', '0-0'],
    ['bytes=3-', 'tent', '3-6'],
    ['bytes=-2', 'nt', '5-6'],
    ['bytes=2-99', 'ntent', '2-6'],
  ])('GET answers the range %s with 206', async ([range = '', text, part]) => {
    const draft = await ada.createDraft()
    const { links } = await ada.addFile(draft, 'a.txt', 'content')
    const reply = await ada.get(links.download, { range })

    expect(reply.status).toBe(206)
    expect(reply.bytes.toString()).toBe(text)
    expect(reply.headers.get('content-range')).toBe(`bytes ${part}/7`)
  })

  it('GET answers a range beyond the end with 416, and a malformed one with the whole file', async () => {
    const draft = await ada.createDraft()
    const { links } = await ada.addFile(draft, 'a.txt', 'content')
    const beyond = await ada.get(links.download, { range: 'bytes=7-' })

    expectProblem(beyond, 'range_not_satisfiable', /7 bytes/)
    expect(beyond.headers.get('content-range')).toBe('bytes */7')
    for (const range of ['bytes=5-3', 'lines=1-2', 'bytes=a-b', 'bytes=0-0,2-3']) {
      const reply = await ada.get(links.download, { range })
      expect([reply.status, reply.bytes.toString()]).toEqual([200, 'content'])
    }
  })

  it('GET answers a thousand overlapping ranges with the whole file, once', async () => {
    const draft = await ada.createDraft()
    const { links } = await ada.addFile(draft, 'a.txt', 'content')
    const range = `bytes=${Array.from({ length: 1000 }, () => '0-').join()}`
    const reply = await ada.get(links.download, { range })

    expect([reply.status, reply.bytes.toString()]).toEqual([200, 'content'])
  })

  it('a key with a slash at its end names another file', async () => {
    const draft = await ada.createDraft()
    const { links } = await ada.addFile(draft, 'a.txt', 'content')
    const before = await ada.state(draft)

    for (const url of [links.self, links.download]) {
      expectProblem(await ada.get(`${url}/`), 'file_not_found')
      expectProblem(await ada.get(`${url}/?download`), 'file_not_found')
      expectProblem(await ada.delete(`${url}/`), 'file_not_found')
    }
    expect(await ada.state(draft)).toEqual(before)
  })

  it('DELETE of a version is 400: a file is deleted with all its versions', async () => {
    const draft = await ada.createDraft()
    const { links, version_id } = await ada.addFile(draft, 'a.txt', 'first')
    await ada.putObject(draft, 'a.txt', 'second')
    const before = await ada.state(draft)

    for (const url of [links.self, links.download]) {
      const named = await ada.delete(`${url}?versionId=${version_id}`)
      expectProblem(named, 'malformed_request')
    }
    const named = await ada.send('DELETE', links.self, { headers: { version_id } })
    expectProblem(named, 'malformed_request')
    expect(await ada.state(draft)).toEqual(before)
  })

  it('PUT refuses a part of a file, and compressed bytes', async () => {
    const draft = await ada.createDraftWith('a.txt')
    const before = await ada.state(draft)
    const put = (headers: Readonly<Record<string, string>>) =>
      ada.send('PUT', objectUrl(draft, 'a.txt'), { body: 'xx', headers })

    expectProblem(await put({ 'content-range': 'bytes 0-1/10' }), 'malformed_request')
    expectProblem(await put({ 'content-encoding': 'gzip' }), 'unsupported_media_type', /gzip/)
    expect(await ada.state(draft)).toEqual(before)
    expect((await put({ 'content-encoding': 'identity' })).status).toBe(200)
  })

  it.runIf(process.platform === 'linux')(
    'a download that is reset leaves no file open',
    async () => {
      const draft = await ada.createDraft()
      const { links } = await ada.addFile(draft, 'big', 'x'.repeat(4_000_000))
      const { pathname, host } = new URL(links.download)
      const headers = { host, ...(await ada.authorization()) }
      const readers = async () => {
        const names = await readdir('/proc/self/fd')
        const paths = await Promise.all(
          names.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
        )
        return paths.filter((path) => path.startsWith(`${daemon.home}/blobs`)).length
      }
      for (let round = 0; round < 100; round += 1) {
        await abortedRequest(daemon.origin, head(`GET ${pathname}?download`, headers))
      }

      await expect.poll(readers).toBe(0)
      expect((await ada.get(links.download)).bytes).toHaveLength(4_000_000)
    },
  )

  it('?versionId= answers that version, only to those who may read the deposit', async () => {
    const draft = await ada.createDraft()
    const first = bodyOf<FileBody>(await ada.putObject(draft, 'a', 'first'), 201)
    await ada.putObject(draft, 'a', 'second')
    const url = `${objectUrl(draft, 'a')}?versionId=${first.version_id}`
    expect((await ada.get(url)).bytes.toString()).toBe('first')

    await ada.publish(draft)
    expectProblem(await daemon.visitor.get(url), 'unauthenticated')
    expect((await daemon.visitor.get(objectUrl(draft, 'a'))).bytes.toString()).toBe('second')
    expectProblem(await ada.get(`${objectUrl(draft, 'a')}?versionId=x`), 'malformed_request')
  })

  it('DELETE answers 204, and then 404', async () => {
    const draft = await ada.createDraftWith('a')

    expect((await ada.delete(objectUrl(draft, 'a'))).status).toBe(204)
    expectProblem(await ada.delete(objectUrl(draft, 'a')), 'file_not_found')
    expect(await ada.files(draft)).toEqual([])
  })
})

describe('/files/{bucket}', () => {
  it('lists the latest versions, and all versions with ?versions', async () => {
    const draft = await ada.createDraft()
    const replies: Reply[] = []
    for (const content of ['first', 'second']) {
      replies.push(await ada.putObject(draft, 'a', content))
    }
    const [first, second] = replies.map(({ body }) => (body as FileBody).version_id)
    const versions = async (query: string) => {
      const { body } = await ada.get(`${draft.links['bucket']}${query}`)
      return (body as readonly FileBody[]).map(({ version_id }) => version_id)
    }

    expect(await versions('')).toEqual([second])
    for (const all of ['?versions', '?versions=', '?versions=true', '?versions=1']) {
      expect(await versions(all)).toEqual([second, first])
    }
    for (const latest of ['?versions=false', '?versions=no', '?versions=0']) {
      expect(await versions(latest)).toEqual([second])
    }
  })

  it('links from a page past its end to its last page', async () => {
    const draft = await ada.createDraftWith('a', 'b', 'c')
    const { headers } = await ada.get(`${draft.links['bucket']}?page=99&size=2`)

    expect(headers.get('link')).toMatch(/page=2&size=2>; rel="prev"/)
  })
})

describe('/records/{pid_value}', () => {
  it('GET answers with ETag, Last-Modified and Link, and with 304 to a client that has it', async () => {
    const { links } = await ada.createPublished()
    const url = links['record'] ?? ''
    const { headers } = await daemon.visitor.get(url)
    const since = headers.get('last-modified') ?? ''

    expect(headers.get('etag')).toBe('"0"')
    expect(new Date(since).getTime()).toBeGreaterThan(0)
    expect(headers.get('link')).toContain(`<${url}>; rel="self", `)
    for (const condition of [{ 'if-none-match': '"0"' }, { 'if-modified-since': since }]) {
      const again = await daemon.visitor.get(url, condition)
      expect([again.status, again.bytes.length]).toEqual([304, 0])
    }
  })

  it('PUT and PATCH of an administrator make a revision; each can be read', async () => {
    const curator = daemon.as('curator', { admin: true })
    const published = await ada.createPublished({ title: 'First' })
    const url = published.links['record'] ?? ''
    const put = await curator.put(url, { title: 'Second' })
    const patch = [{ op: 'replace', path: '/title', value: 'Third' }]

    expect(put.headers.get('etag')).toBe('"1"')
    expect((await curator.patch(url, patch)).headers.get('etag')).toBe('"2"')
    const revisions = await daemon.visitor.get(`${url}/revisions`)
    expect(revisions.body).toMatchObject(
      ['First', 'Second', 'Third'].map((title, revision) => ({ metadata: { title }, revision })),
    )
    expect((await daemon.visitor.get(`${url}/revisions/1`)).body).toMatchObject({ revision: 1 })
    const missing = await daemon.visitor.get(`${url}/revisions/3`)
    expectProblem(missing, 'record_not_found', 'The record has no revision 3.')
    const stale = await curator.put(url, { title: 'Lost' }, { 'if-match': '"0"' })
    expectProblem(stale, 'stale_revision', /"2"/)
  })

  it('PUT and PATCH of a sealed record are invalid actions', async () => {
    const curator = daemon.as('curator', { admin: true })
    const published = await ada.createPublished({ title: 'Sealed' })
    const url = published.links['record'] ?? ''
    await ada.act(published, 'register')
    const patch = [{ op: 'replace', path: '/title', value: 'Broken' }]

    expectProblem(await curator.put(url, { title: 'Broken' }), 'invalid_action')
    expectProblem(await curator.patch(url, patch), 'invalid_action')
    expect((await daemon.visitor.get(url)).body).toMatchObject({
      metadata: { title: 'Sealed' },
      revision: 0,
    })
  })
})
