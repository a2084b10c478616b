import { afterAll, describe, expect, it } from 'vitest'
import type { FileBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

/** Names that are not their own safe form. */
const unsafeNames = `| . .. / ../b /b b/ a//b a/./b a\\b b. a\nb \u202Etxt.exe \uFEFFb cafe\u0301`
  .split(/[| ]/)
  .concat('b ', 'a\u0000b', 'a'.repeat(256))

const unknownVersion = '00000000-0000-4000-8000-000000000000'

describe('Endpoints: file item, GET', () => {
  it('answers JSON by default, the bytes for another media type or ?download', async () => {
    const draft = await ada.createDraft()
    const file = await ada.addFile(draft, 'a.txt', 'content')
    const { self } = file.links

    expect((await ada.get(self)).body).toEqual(file)
    expect((await ada.get(self, { accept: 'application/json' })).body).toEqual(file)
    for (const accept of ['application/octet-stream', 'text/plain']) {
      expect((await ada.get(self, { accept })).bytes.toString()).toBe('content')
    }
    expect((await ada.get(`${self}?download`)).bytes.toString()).toBe('content')
  })

  it('without version_id the latest version is returned, with it the given one', async () => {
    const draft = await ada.createDraft()
    const first = await ada.addFile(draft, 'a.txt', 'first')
    const second = bodyOf<FileBody>(await ada.putObject(draft, 'a.txt', 'second'), 200)
    const { self } = first.links
    const old = { version_id: first.version_id }
    const bytes = { accept: 'application/octet-stream' }

    expect((await ada.get(self)).body).toMatchObject({ version_id: second.version_id })
    expect((await ada.get(self, old)).body).toMatchObject({ version_id: first.version_id })
    expect((await ada.get(self, bytes)).bytes.toString()).toBe('second')
    expect((await ada.get(self, { ...old, ...bytes })).bytes.toString()).toBe('first')
    const byQuery = await ada.get(`${self}?versionId=${first.version_id}&download`)
    expect(byQuery.bytes.toString()).toBe('first')
  })

  it('JSON links to the bytes as its enclosure, for a client that takes anything', async () => {
    const draft = await ada.createDraftWith('a.csv')
    const [file] = await ada.files(draft)
    const { headers } = await ada.get(`/deposits/${draft.id}/files/a.csv`, { accept: '*/*' })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('link')).toBe(`<${file?.links.download}>; rel="enclosure"`)
  })

  it.for(['versionId', 'version_id'])('?%s names the version as well', async (name) => {
    const draft = await ada.createDraft()
    await ada.putObject(draft, 'a.csv', 'old')
    const [old] = await ada.files(draft)
    await ada.putObject(draft, 'a.csv', 'new')
    const url = `/deposits/${draft.id}/files/a.csv?download&${name}=`
    expect((await ada.get(url + (old?.version_id ?? ''))).bytes.toString()).toBe('old')
    expectProblem(await ada.get(url + crypto.randomUUID()), 'version_not_found')
  })

  it('404 when the key or the version does not exist; 400 when it is no UUID', async () => {
    const draft = await ada.createDraftWith('a.txt')
    const path = `/deposits/${draft.id}/files`

    expectProblem(await ada.get(`${path}/b.txt`), 'file_not_found')
    const unknown = await ada.get(`${path}/a.txt`, { version_id: unknownVersion })
    expectProblem(unknown, 'version_not_found')
    expectProblem(await ada.get(`${path}/a.txt`, { version_id: '7' }), 'malformed_request')
  })

  it('HEAD answers the headers of GET without the body', async () => {
    const draft = await ada.createDraft()
    const { links } = await ada.addFile(draft, 'a.txt', 'content')
    const accept = 'application/octet-stream'
    const reply = await ada.send('HEAD', links.self, { headers: { accept } })

    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-length')).toBe('7')
    expect(reply.bytes).toHaveLength(0)
  })

  it('a download is an attachment that no browser runs', async () => {
    const draft = await ada.createDraft()
    const { links } = await ada.addFile(draft, 'dir/Île "x".html', '<script>alert(1)</script>')
    const { headers } = await ada.get(links.download)

    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="_le _x_.html"; filename*=UTF-8''%C3%8Ele%20%22x%22.html`,
    )
  })
})

describe('Endpoints: file item, PUT', () => {
  it('answers the JSON of the renamed file', async () => {
    const draft = await ada.createDraftWith('a.txt', 'b.txt')
    const [a] = await ada.files(draft)
    const reply = await ada.put(`/deposits/${draft.id}/files/a.txt`, { filename: 'dir/c.txt' })

    const renamed = bodyOf<FileBody>(reply, 200)
    expect(renamed).toMatchObject({ ...a, filename: 'dir/c.txt', links: renamed.links })
    expect(await ada.keys(draft)).toEqual(['dir/c.txt', 'b.txt'])
    expectProblem(await ada.get(`/deposits/${draft.id}/files/a.txt`), 'file_not_found')
    expect((await ada.get(`${renamed.links.self}?download`)).bytes.toString()).toBe('a.txt')
  })

  it('a missing filename gives a wrong-file error', async () => {
    const draft = await ada.createDraftWith('a.txt')
    const before = await ada.state(draft)

    for (const body of [{}, { filename: null }, { filename: 7 }, { name: 'b' }, [], null, 'b']) {
      const reply = await ada.put(`/deposits/${draft.id}/files/a.txt`, body)
      expectProblem(reply, 'wrong_file', 'Wrong file on input.')
    }
    expect(await ada.state(draft)).toEqual(before)
  })

  it.for(unsafeNames)('filename %j gives a wrong-file error', async (filename) => {
    const draft = await ada.createDraftWith('a.txt')
    const before = await ada.state(draft)
    const reply = await ada.put(`/deposits/${draft.id}/files/a.txt`, { filename })

    expect(reply.status).toBe(400)
    if (!filename.includes('\u0000')) expectProblem(reply, 'wrong_file', 'Wrong file on input.')
    expect(await ada.state(draft)).toEqual(before)
  })

  it('an unknown key gives 404 before the body is looked at', async () => {
    const draft = await ada.createDraft()
    expectProblem(await ada.put(`/deposits/${draft.id}/files/nope`, {}), 'file_not_found')
  })

  it('an unknown key gives 404', async () => {
    const draft = await ada.createDraft()

    const reply = await ada.put(`/deposits/${draft.id}/files/nope`, { filename: 'b' })
    expectProblem(reply, 'file_not_found')
  })

  it('a name that another file has is refused; its own name changes nothing', async () => {
    const draft = await ada.createDraftWith('a.txt', 'b.txt')
    const before = await ada.state(draft)
    const path = `/deposits/${draft.id}/files/a.txt`

    expectProblem(await ada.put(path, { filename: 'b.txt' }), 'file_already_exists')
    expect((await ada.put(path, { filename: 'a.txt' })).status).toBe(200)
    expect(await ada.state(draft)).toEqual(before)
  })
})

describe('Endpoints: file item, DELETE', () => {
  it('answers 204 with an empty body; the file, its versions and, for good, its bytes are gone', async () => {
    const draft = await ada.createDraft()
    const stored = await daemon.storedBytes()
    await ada.putObject(draft, 'a.txt', 'first')
    await ada.putObject(draft, 'a.txt', 'second')
    const reply = await ada.delete(`/deposits/${draft.id}/files/a.txt`)

    expect(reply.status).toBe(204)
    expect(reply.bytes).toHaveLength(0)
    expect(await ada.files(draft)).toEqual([])
    expect((await ada.delete(`/deposits/${draft.id}/trash`)).status).toBe(204)
    expect(await daemon.storedBytes()).toEqual(stored)
    expect((await ada.show(draft)).files).toEqual({ count: 0, size: 0 })
  })

  it('an unknown key gives 404: the object does not exist or was already deleted', async () => {
    const draft = await ada.createDraftWith('a')
    const path = `/deposits/${draft.id}/files/a`
    await ada.delete(path)
    const before = await ada.state(draft)

    const message = 'The object does not exist or was already deleted.'
    expectProblem(await ada.delete(path), 'file_not_found', message)
    expect(await ada.state(draft)).toEqual(before)
  })
})
