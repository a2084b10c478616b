import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

const objectUrl = ({ links }: Pick<DepositBody, 'links'>, key: string) =>
  `${links['bucket']}/${key}`
const tag = ({ checksum }: FileBody) => `"${checksum}"`
const changed = /has changed/

describe('Reading a file under a condition', () => {
  it.for(['GET', 'HEAD'])('%s with the If-Match of another file is 412', async (method) => {
    const draft = await ada.createDraft()
    const file = await ada.addFile(draft, 'a.txt', 'content')
    const ask = (match: string) =>
      ada.send(method, file.links.download, { headers: { 'if-match': match } })

    for (const match of [tag(file), `"x", ${tag(file)}`, '*', '"1"']) {
      expect((await ask(match)).status).toBe(200)
    }
    for (const match of ['"x"', `W/${tag(file)}`, '"0"', '']) {
      expect((await ask(match)).status).toBe(412)
    }
  })

  it('a range of a file that has been replaced is 412, with the reason', async () => {
    const draft = await ada.createDraft()
    const file = await ada.addFile(draft, 'a.txt', 'content')
    await ada.putObject(draft, 'a.txt', 'another')
    const headers = { 'if-match': tag(file), range: 'bytes=3-' }

    expectProblem(await ada.get(file.links.download, headers), 'stale_revision', changed)
  })

  it.for(['GET', 'HEAD'])(
    '%s with If-Range is a range only while the file is the named one',
    async (method) => {
      const draft = await ada.createDraft()
      const old = await ada.addFile(draft, 'a.txt', 'content')
      await ada.putObject(draft, 'a.txt', 'another')
      const url = old.links.download
      const { headers } = await ada.get(url)
      const statusWith = async (name: string) => {
        const asked = { range: 'bytes=3-', 'if-range': name }
        const reply = await ada.send(method, url, { headers: asked })
        return [reply.status, reply.headers.get('content-length'), reply.bytes.toString()]
      }

      const [rest, whole] = method === 'GET' ? ['ther', 'another'] : ['', '']
      expect(await statusWith(headers.get('etag') ?? '')).toEqual([206, '4', rest])
      // Two versions may have one date, and a weak tag may name both.
      const dates = [headers.get('last-modified') ?? '', new Date(0).toUTCString()]
      for (const stale of [tag(old), '"x"', `W/${headers.get('etag')}`, ...dates]) {
        expect(await statusWith(stale)).toEqual([200, '7', whole])
      }
    },
  )

  it('If-Unmodified-Since before the last change is 412, and If-Match comes before it', async () => {
    const draft = await ada.createDraft()
    const file = await ada.addFile(draft, 'a.txt', 'content')
    const url = file.links.download
    const early = { 'if-unmodified-since': new Date(0).toUTCString() }
    const modified = (await ada.get(url)).headers.get('last-modified') ?? ''

    expectProblem(await ada.get(url, early), 'stale_revision', changed)
    expect((await ada.get(url, { ...early, 'if-match': tag(file) })).status).toBe(200)
    expect((await ada.get(url, { 'if-unmodified-since': modified })).status).toBe(200)
    expect((await ada.get(url, { 'if-unmodified-since': 'yesterday' })).status).toBe(200)
  })
})

describe('Changing a file under a condition', () => {
  it('If-Match accepts the entity tag that reading the file gave', async () => {
    const draft = await ada.createDraft()
    const file = await ada.addFile(draft, 'a.txt', 'content')
    const url = objectUrl(draft, 'a.txt')
    const headers = { 'if-match': tag(file) }

    expect((await ada.send('PUT', url, { body: 'next', headers })).status).toBe(200)
    const before = await ada.state(draft)
    expectProblem(await ada.send('PUT', url, { body: 'lost', headers }), 'stale_revision', /./)
    expectProblem(await ada.send('DELETE', url, { headers }), 'stale_revision', /./)
    const other = await ada.send('PUT', objectUrl(draft, 'b'), { body: 'new', headers })
    expectProblem(other, 'stale_revision', /./)
    expect(await ada.state(draft)).toEqual(before)
  })

  it.for(['file', 'object'])(
    'a %s is deleted only while it is the one that If-Match names',
    async (kind) => {
      const draft = await ada.createDraft()
      const file = await ada.addFile(draft, 'a.txt', 'content')
      const url = kind === 'file' ? file.links.self : objectUrl(draft, 'a.txt')
      const headers = { 'if-match': tag(file) }
      await ada.putObject(draft, 'a.txt', 'next')
      const before = await ada.state(draft)
      expectProblem(await ada.send('DELETE', url, { headers }), 'stale_revision', changed)
      expect(await ada.state(draft)).toEqual(before)

      await ada.putObject(draft, 'a.txt', 'content')
      // Other changes of the deposit do not count.
      await ada.addFile(draft, 'b.txt', 'beside')
      expect((await ada.send('DELETE', url, { headers })).status).toBe(204)
      expect((await ada.send('DELETE', url, { headers })).status).toBe(kind === 'file' ? 404 : 412)
    },
  )

  it('If-Match accepts the revision of the deposit', async () => {
    const draft = await ada.createDraft()
    await ada.addFile(draft, 'a.txt', 'content')
    const headers = { 'if-match': '"1"' }

    expect((await ada.send('DELETE', objectUrl(draft, 'a.txt'), { headers })).status).toBe(204)
  })
})
