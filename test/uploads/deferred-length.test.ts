import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'
import { append, begun, bytes, metadata, offsetOf, tus } from './tus-client.ts'

let daemon: TestDaemon
let owner: User
beforeAll(async () => {
  daemon = await testDaemon({
    env: { DEPOSIT_MAX_FILE_SIZE: '5000000', DEPOSIT_QUOTA: '20000000' },
  })
  owner = daemon.as('owner')
})
afterAll(() => daemon[Symbol.asyncDispose]())

describe('Upload-Defer-Length', () => {
  const deferred = { 'upload-defer-length': '1', 'upload-metadata': metadata({ name: 'd/s.bin' }) }

  function beginDeferred(
    deposit: DepositBody,
    headers: Readonly<Record<string, string>> = {},
    user = owner,
  ): Promise<Reply> {
    return user.post(deposit.links['uploads'] ?? '', {
      headers: { ...tus, ...deferred, ...headers },
    })
  }

  async function begunDeferred(deposit: DepositBody, user = owner): Promise<string> {
    const reply = await beginDeferred(deposit, {}, user)
    expect([reply.status, reply.headers.get('upload-offset')]).toEqual([201, '0'])
    return reply.headers.get('location') ?? ''
  }

  /** Sends a piece with the length of the whole. */
  function settle(url: string, offset: number, body: string, total: number): Promise<Reply> {
    const headers = { ...bytes, 'upload-offset': String(offset), 'upload-length': String(total) }
    return owner.send('PATCH', url, { headers, body })
  }

  /** A request body without a length. */
  const stream = (...chunks: readonly (string | Buffer)[]): ReadableStream =>
    ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)))

  const lengthsOf = async (url: string): Promise<readonly (string | null)[]> => {
    const { headers } = await owner.send('HEAD', url, { headers: tus })
    return [headers.get('upload-defer-length'), headers.get('upload-length')]
  }

  it('lets the last piece say how long the file is', async () => {
    const draft = await owner.createDraft()
    const url = await begunDeferred(draft)
    const first = await append(owner, url, 0, Buffer.from('abc'))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '3'])
    expect(Date.parse(first.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now())
    expect(await lengthsOf(url)).toEqual(['1', null])
    const listed = await owner.get(draft.links['uploads'] ?? '')
    expect(listed.body).toMatchObject([{ length_deferred: true, filesize: 3, offset: 3 }])
    expectProblem(await owner.act(draft, 'publish'), 'invalid_action')
    const last = await settle(url, 3, 'def', 6)
    expect([last.status, last.headers.get('deposit-revision')]).toEqual([204, '1'])
    expect(await lengthsOf(url)).toEqual([null, '6'])
    const [file] = await owner.files(draft)
    expect(file).toMatchObject({ filename: 'd/s.bin', filesize: 6 })
    expect((await owner.get(file?.links.download ?? '')).bytes.toString()).toBe('abcdef')
    await owner.publish(draft)
  })

  it('accepts bytes in the first request, streamed pieces, and a last request with only the length', async () => {
    const draft = await owner.createDraft()
    const headers = { ...bytes, ...deferred }
    const begun = await owner.post(draft.links['uploads'] ?? '', { headers, body: 'ab' })
    expect([begun.status, begun.headers.get('upload-offset')]).toEqual([201, '2'])
    const url = begun.headers.get('location') ?? ''
    const streamed = await owner.send('PATCH', url, {
      headers: { ...bytes, 'upload-offset': '2' },
      body: stream('cd', 'ef'),
    })
    expect(streamed.headers.get('upload-offset')).toBe('6')
    expect((await settle(url, 6, '', 6)).status).toBe(204)
    expect(await owner.keys(draft)).toEqual(['d/s.bin'])
    const empty = await begunDeferred(await owner.createDraft())
    expect((await settle(empty, 0, '', 0)).headers.get('content-location')).toMatch(/s\.bin$/)
  })

  it('keeps the first length that is sent, and refuses bytes beyond it', async () => {
    const url = await begunDeferred(await owner.createDraft())
    expect((await settle(url, 0, 'abc', 6)).status).toBe(204)
    expect(await lengthsOf(url)).toEqual([null, '6'])
    expectProblem(await settle(url, 3, 'd', 7), 'upload_conflict', /is 6 and cannot change/)
    expectProblem(await settle(url, 3, 'defg', 6), 'file_too_large', /Upload-Length/)
    expect(await offsetOf(owner, url)).toBe('3')
    expect((await settle(url, 3, 'def', 6)).headers.get('deposit-revision')).toBe('1')
  })

  it('refuses impossible lengths', async () => {
    const draft = await owner.createDraft()
    const both = await beginDeferred(draft, { 'upload-length': '3' })
    expectProblem(both, 'malformed_request')
    expect(both.body).toMatchObject({ errors: [{ field: 'Upload-Length' }] })
    const two = await beginDeferred(draft, { 'upload-defer-length': '2' })
    expectProblem(two, 'malformed_request')
    expect(two.body).toMatchObject({ errors: [{ field: 'Upload-Defer-Length' }] })
    expect((await owner.get(draft.links['uploads'] ?? '')).body).toEqual([])
    const url = await begunDeferred(draft)
    await append(owner, url, 0, Buffer.from('abc'))
    expectProblem(await settle(url, 3, '', 2), 'upload_conflict', /3 bytes have arrived/)
    const headers = { ...bytes, 'upload-offset': '3', 'upload-length': 'many' }
    const many = await owner.send('PATCH', url, { headers, body: 'd' })
    expectProblem(many, 'malformed_request')
    expectProblem(await settle(url, 3, '', 5_000_001), 'file_too_large', /5000000/)
    expect([await offsetOf(owner, url), ...(await lengthsOf(url))]).toEqual(['3', '1', null])
  })

  it('enforces the largest file size and the quota with every piece', async () => {
    const user = daemon.as('streaming')
    const draft = await user.createDraft()
    const url = await begunDeferred(draft, user)
    expect((await append(user, url, 0, Buffer.alloc(4_999_999))).status).toBe(204)
    const refused = await append(user, url, 4_999_999, Buffer.alloc(2))
    expectProblem(refused, 'file_too_large', /5000000/)
    const headers = { ...bytes, 'upload-offset': '4999999' }
    const streamed = await user.send('PATCH', url, { headers, body: stream('a', 'bc') })
    expectProblem(streamed, 'file_too_large', /5000000/)
    for (const name of ['a', 'b', 'c']) {
      await begun(user, draft, { size: 4_900_000, fields: { name } })
    }
    const second = await begunDeferred(await user.createDraft(), user)
    const half = Buffer.alloc(400_000)
    expectProblem(await append(user, second, 0, half), 'quota_exceeded', /20000000/)
    const whole = await user.send('PATCH', second, {
      headers: { ...bytes, 'upload-offset': '0' },
      body: stream(...Array.from({ length: 8 }, () => half.subarray(0, 50_000))),
    })
    expectProblem(whole, 'quota_exceeded', /20000000/)
    const offset = Number(await offsetOf(user, second))
    expect(offset).toBeLessThan(300_001)
    await user.send('DELETE', url, { headers: tus })
    const rest = Buffer.alloc(400_000 - offset)
    expect((await append(user, second, offset, rest)).status).toBe(204)
  })

  it('enforces the quota for parallel streams of unknown length', async () => {
    const user = daemon.as('streams-at-once')
    const draft = await user.createDraft()
    for (const name of ['a', 'b', 'c']) {
      await begun(user, draft, { size: 4_900_000, fields: { name } })
    }
    const urls = await Promise.all(
      Array.from({ length: 4 }, async () => begunDeferred(await user.createDraft(), user)),
    )
    const pieces = Array.from({ length: 40 }, () => Buffer.alloc(100_000))
    const headers = { ...bytes, 'upload-offset': '0' }
    const replies = await Promise.all(
      urls.map((url) => user.send('PATCH', url, { headers, body: stream(...pieces) })),
    )
    expect(replies.filter(({ status }) => status === 204).length).toBeLessThan(2)
    for (const reply of replies.filter(({ status }) => status !== 204)) {
      expectProblem(reply, 'quota_exceeded', /20000000/)
    }
    const offsets = await Promise.all(urls.map((url) => offsetOf(user, url)))
    expect(offsets.map(Number).reduce((sum, offset) => sum + offset)).toBeLessThan(5_300_001)
  })

  it('accepts the length after all bytes, even when the quota is used up', async () => {
    const user = daemon.as('settling')
    const draft = await user.createDraft()
    const url = await begunDeferred(draft, user)
    expect((await append(user, url, 0, Buffer.alloc(1000))).status).toBe(204)
    await daemon.operate('user quota', { email: 'settling@example.org', size: '500' })
    const headers = { ...bytes, 'upload-offset': '1000', 'upload-length': '1000' }
    const told = await user.send('PATCH', url, { headers, body: Buffer.alloc(0) })
    expect(told.status).toBe(204)
    expect(await user.keys(draft)).toEqual(['d/s.bin'])
  })

  it('requires the length of each part before the parts become a file', async () => {
    const draft = await owner.createDraft()
    const part = await beginDeferred(draft, { 'upload-concat': 'partial' })
    const url = part.headers.get('location') ?? ''
    await append(owner, url, 0, Buffer.from('ab'))
    const concatenate = () =>
      owner.post(draft.links['uploads'] ?? '', {
        headers: {
          ...tus,
          'upload-concat': `final;${url}`,
          'upload-metadata': metadata({ name: 'a' }),
        },
      })
    expectProblem(await concatenate(), 'upload_conflict', /Upload-Length with a PATCH/)
    expect((await settle(url, 2, '', 2)).status).toBe(204)
    expect((await concatenate()).status).toBe(201)
    expect(await owner.keys(draft)).toEqual(['a'])
  })
})
