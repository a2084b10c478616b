import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, UploadListBody } from '../../core/contract/schemas.ts'
import { writeScope } from '../../core/contract/scopes.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'
import * as tusClient from './tus-client.ts'
import { bytes, metadata, tus, type Begun } from './tus-client.ts'

let daemon: TestDaemon
let owner: User
beforeAll(async () => {
  daemon = await testDaemon({ env: { DEPOSIT_MAX_FILE_SIZE: '5000000' } })
  owner = daemon.as('owner')
})
afterAll(() => daemon[Symbol.asyncDispose]())

function begin(deposit: DepositBody, upload: Begun, user = owner): Promise<Reply> {
  return tusClient.begin(user, deposit, upload)
}
const begun = (deposit: DepositBody, upload: Begun) => tusClient.begun(owner, deposit, upload)
const append = (url: string, offset: number, body: Buffer<ArrayBuffer>) =>
  tusClient.append(owner, url, offset, body)
const offsetOf = (url: string) => tusClient.offsetOf(owner, url)

describe('POST …/uploads', () => {
  it('begins an upload and tells when it expires', async () => {
    const draft = await owner.createDraft()
    const reply = await begin(draft, { size: 10 })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('location')).toMatch(`${draft.links['uploads']}/`)
    expect(reply.headers.get('tus-resumable')).toBe('1.0.0')
    expect(Date.parse(reply.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now())
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('accepts the first bytes in the same request', async () => {
    const draft = await owner.createDraft()
    const reply = await owner.post(draft.links['uploads'] ?? '', {
      headers: { ...bytes, 'upload-length': '5', 'upload-metadata': metadata({ name: 'd/a' }) },
      body: 'hello',
    })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('upload-offset')).toBe('5')
    expect(reply.headers.get('deposit-revision')).toBe('1')
    expect(await owner.keys(draft)).toEqual(['d/a'])
  })

  it('makes an empty file at once', async () => {
    const draft = await owner.createDraft()
    const url = await begun(draft, { size: 0 })
    expect(await offsetOf(url)).toBe('0')
    const [file] = await owner.files(draft)
    expect(file).toMatchObject({ filename: 'a.bin', filesize: 0 })
  })

  it('refuses an impossible name, size or checksum', async () => {
    const draft = await owner.createDraftWith('taken')
    expectProblem(await begin(draft, { size: 1, fields: { filename: '..' } }), 'wrong_file')
    expectProblem(await begin(draft, { size: 1, fields: { filename: '' } }), 'wrong_file')
    expectProblem(
      await begin(draft, { size: 1, fields: { filename: 'taken' } }),
      'file_already_exists',
    )
    expectProblem(await begin(draft, { size: 5_000_001 }), 'file_too_large', /5000000/)
    const broken = await begin(draft, { size: 1, fields: { checksum: 'crc32:1' } })
    expectProblem(broken, 'malformed_request')
    expect(await owner.get(draft.links['uploads'] ?? '')).toMatchObject({ body: [] })
  })

  it('requires the version of the protocol, the length and readable metadata', async () => {
    const draft = await owner.createDraft()
    const url = draft.links['uploads'] ?? ''
    const without = await owner.post(url, { headers: { 'upload-length': '1' } })
    expectProblem(without, 'unknown_tus_version', /1\.0\.0/)
    expect(without.headers.get('tus-version')).toBe('1.0.0')
    expectProblem(await owner.post(url, { headers: tus }), 'malformed_request')
    const nameless = { ...tus, 'upload-length': '1', 'upload-metadata': '' }
    expectProblem(await owner.post(url, { headers: nameless }), 'wrong_file')
    const strange = { ...tus, 'upload-length': '1', 'upload-metadata': 'name %%%' }
    expectProblem(await owner.post(url, { headers: strange }), 'malformed_request')
  })

  it('needs a token with the write scope, of an owner, for a draft whose files are open', async () => {
    const draft = await owner.createDraft()
    expectProblem(await begin(draft, { size: 1 }, daemon.visitor), 'unauthenticated', /token/)
    const reader = daemon.as('owner', { scopes: [] })
    expectProblem(await begin(draft, { size: 1 }, reader), 'insufficient_scope', /deposit:write/)
    expectProblem(await begin(draft, { size: 1 }, daemon.as('other')), 'permission_denied')
    const published = await owner.createPublished()
    expectProblem(await begin(published, { size: 1 }), 'invalid_action')
    expectProblem(
      await begin(await owner.edit(published), { size: 1 }),
      'files_frozen',
      /newversion/,
    )
  })
})

describe('PATCH …/uploads/{id}', () => {
  it('joins the pieces into a file, byte for byte', async () => {
    const draft = await owner.createDraft()
    const content = randomBytes(2_000_000)
    const url = await begun(draft, { size: content.length })
    let offset = 0
    for (const size of [1, 99_999, 700_000]) {
      const reply = await append(url, offset, content.subarray(offset, offset + size))
      offset += size
      expect(reply.status).toBe(204)
      expect(reply.headers.get('upload-offset')).toBe(String(offset))
      expect(await offsetOf(url)).toBe(String(offset))
    }
    const last = await append(url, offset, content.subarray(offset))
    expect(last.headers.get('deposit-revision')).toBe('1')
    const [file] = await owner.files(draft)
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect(file).toMatchObject({ filename: 'a.bin', checksum: `sha256:${sha256}` })
    expect(last.headers.get('content-location')).toBe(file?.links.self)
    const read = await owner.get(file?.links.download ?? '')
    expect(read.bytes.equals(content)).toBe(true)
  })

  it('reports a finished upload as complete, and accepts a repeated last request', async () => {
    const draft = await owner.createDraft()
    const url = await begun(draft, { size: 3 })
    await append(url, 0, Buffer.from('abc'))
    expect(await offsetOf(url)).toBe('3')
    const again = await append(url, 3, Buffer.alloc(0))
    expect([again.status, again.headers.get('upload-offset')]).toEqual([204, '3'])
    expect(await owner.keys(draft)).toEqual(['a.bin'])
  })

  it('refuses bytes at another offset, and too many bytes', async () => {
    const draft = await owner.createDraft()
    const url = await begun(draft, { size: 3 })
    expectProblem(await append(url, 1, Buffer.from('b')), 'upload_conflict', /HEAD/)
    expectProblem(await append(url, 0, Buffer.from('abcd')), 'file_too_large', /Upload-Length/)
    expect(await offsetOf(url)).toBe('0')
    const typed = { ...tus, 'upload-offset': '0', 'content-type': 'text/plain' }
    const plain = await owner.send('PATCH', url, { headers: typed, body: 'abc' })
    expectProblem(plain, 'unsupported_media_type', /offset\+octet-stream/)
  })

  it('checks the checksum of the whole file, and keeps nothing when it is wrong', async () => {
    const draft = await owner.createDraft()
    const before = await daemon.storedBytes()
    const checksum = `sha256:${createHash('sha256').update('abc').digest('hex')}`
    const url = await begun(draft, { size: 3, fields: { checksum } })
    expectProblem(await append(url, 0, Buffer.from('abd')), 'checksum_mismatch', /Nothing was kept/)
    expect((await owner.send('HEAD', url, { headers: tus })).status).toBe(404)
    expect(await daemon.storedBytes()).toEqual(before)
    expect(await owner.keys(draft)).toEqual([])
    const md5 = `md5:${createHash('md5').update('abc').digest('hex')}`
    const right = await begun(draft, { size: 3, fields: { checksum: md5 } })
    expect((await append(right, 0, Buffer.from('abc'))).status).toBe(204)
  })

  it('replaces a file with a new version when asked to', async () => {
    const draft = await owner.createDraftWith('a.bin')
    const url = await begun(draft, { size: 3, fields: { replace: 'true' } })
    expect((await append(url, 0, Buffer.from('new'))).status).toBe(204)
    const [file, ...others] = await owner.files(draft)
    expect(others).toEqual([])
    expect((await owner.get(file?.links.download ?? '')).bytes.toString()).toBe('new')
  })

  it('waits for its key while another upload has it', async () => {
    const draft = await owner.createDraft()
    const url = await begun(draft, { size: 3 })
    await owner.addFile(draft, 'a.bin', 'first')
    expectProblem(await append(url, 0, Buffer.from('abc')), 'file_already_exists')
    await owner.delete(`/deposits/${draft.id}/files/a.bin`)
    expect((await append(url, 3, Buffer.alloc(0))).status).toBe(204)
    const [file] = await owner.files(draft)
    expect(file).toMatchObject({ filename: 'a.bin', filesize: 3 })
  })

  it('finds an upload only in its own deposit', async () => {
    const draft = await owner.createDraft()
    const other = await owner.createDraft()
    const url = (await begun(draft, { size: 3 })).replace(draft.id, other.id)
    expectProblem(await append(url, 0, Buffer.from('abc')), 'upload_not_found')
    const stranger = daemon.as('other')
    const theirs = await stranger.send('HEAD', url, { headers: tus })
    expect(theirs.status).toBe(403)
  })
})

describe('an upload under way', () => {
  it('is listed with its offset', async () => {
    const draft = await owner.createDraft()
    const url = await begun(draft, { size: 3 })
    await append(url, 0, Buffer.from('ab'))
    const [upload, ...others] = bodyOf<UploadListBody>(
      await owner.get(draft.links['uploads'] ?? ''),
      200,
    )
    expect(others).toEqual([])
    expect(upload).toMatchObject({
      filename: 'a.bin',
      filesize: 3,
      offset: 2,
      links: { self: url },
    })
  })

  it('blocks publishing, with its name in the message, until it is finished or deleted', async () => {
    const draft = await owner.createDraft()
    const url = await begun(draft, { size: 3 })
    const id = url.slice(url.lastIndexOf('/') + 1)
    const refused = await owner.act(draft, 'publish')
    expectProblem(refused, 'invalid_action')
    expect(refused.body).toMatchObject({ errors: [{ field: 'a.bin', upload: id }] })
    const rehearsed = await owner.get(draft.links['publish'] ?? '')
    expect(rehearsed.body).toMatchObject({ publishable: false, errors: [{ upload: id }] })
    expect((await owner.send('DELETE', url, { headers: tus })).status).toBe(204)
    await owner.publish(draft)
  })

  it('is removed with all its bytes when it is deleted, or its deposit is', async () => {
    const before = await daemon.storedUploads()
    const draft = await owner.createDraft()
    const first = await begun(draft, { size: 3 })
    const second = await begun(draft, { size: 3, fields: { name: 'b' } })
    for (const url of [first, second]) await append(url, 0, Buffer.from('ab'))
    expect(await daemon.storedUploads()).toHaveLength(before.length + 2)
    await owner.send('DELETE', first, { headers: tus })
    expectProblem(await append(first, 2, Buffer.from('c')), 'upload_not_found')
    await owner.delete(`/deposits/${draft.id}`)
    expect(await daemon.storedUploads()).toEqual(before)
    expectProblem(await append(second, 2, Buffer.from('c')), 'deposit_deleted')
  })

  it('can be read with any scope, and changed only with the write scope', async () => {
    const draft = await owner.createDraft()
    const url = await begun(draft, { size: 3 })
    const reader = daemon.as('owner', { scopes: [] })
    expect((await reader.send('HEAD', url, { headers: tus })).status).toBe(200)
    const headers = { ...bytes, 'upload-offset': '0' }
    const patched = await reader.send('PATCH', url, { headers, body: 'abc' })
    expectProblem(patched, 'insufficient_scope', new RegExp(writeScope))
    expect((await reader.send('DELETE', url, { headers: tus })).status).toBe(403)
  })
})

describe('OPTIONS …/uploads', () => {
  it('lists the abilities of the service', async () => {
    const draft = await owner.createDraft()
    const reply = await daemon.visitor.send('OPTIONS', draft.links['uploads'] ?? '')
    expect(reply.status).toBe(204)
    expect(reply.headers.get('tus-version')).toBe('1.0.0')
    expect(reply.headers.get('tus-max-size')).toBe('5000000')
    expect(reply.headers.get('tus-extension')).toBe(
      'creation,creation-defer-length,creation-with-upload,expiration,termination,checksum,concatenation',
    )
    expect(reply.headers.get('tus-checksum-algorithm')).toBe('sha1,sha256,md5')
  })
})

describe('A concatenation', () => {
  it('is answered with the same file for all clients that ask for it at the same time', async () => {
    const draft = await owner.createDraft()
    const post = (headers: Readonly<Record<string, string>>, body = ''): Promise<Reply> =>
      owner.post(draft.links['uploads'] ?? '', { headers, body })
    const size = 2_000_000
    const partial = { ...bytes, 'upload-length': String(size), 'upload-concat': 'partial' }
    const parts = [await post(partial, 'a'.repeat(size)), await post(partial, 'b'.repeat(size))]
    const urls = parts.map(({ headers }) => headers.get('location') ?? '')
    const concat = { 'upload-concat': `final;${urls.join(' ')}` }
    const final = { ...tus, ...concat, 'upload-metadata': metadata({ name: 'whole' }) }

    const [look, ...answers] = await Promise.all([
      owner.send('HEAD', urls[0] ?? '', { headers: tus }),
      ...[1, 2, 3].map(() => post(final)),
    ])

    const place = answers[0]?.headers.get('location')
    expect(place).toContain('/uploads/')
    for (const { status, headers } of answers) {
      expect([status, headers.get('location')]).toEqual([201, place])
    }
    expect([200, 404]).toContain(look.status)
    expect(await owner.keys(draft)).toEqual(['whole'])
  })
})
