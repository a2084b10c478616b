import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, UploadListBody } from '../../core/contract/schemas.ts'
import type { Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'
import { append, begun, bytes, metadata, offsetOf, tus } from './tus-client.ts'

let daemon: TestDaemon
let owner: User
beforeAll(async () => {
  daemon = await testDaemon({
    env: {
      DEPOSIT_MAX_FILE_SIZE: '5000000',
      DEPOSIT_QUOTA: '20000000',
      DEPOSIT_MAX_UPLOADS: '4',
    },
  })
  owner = daemon.as('owner')
})
afterAll(() => daemon[Symbol.asyncDispose]())

describe('Upload-Checksum', () => {
  const sumOf = (algorithm: string, text: string): string =>
    `${algorithm} ${createHash(algorithm).update(text).digest('base64')}`

  function appendChecked(url: string, offset: number, body: string, sum: string): Promise<Reply> {
    const headers = { ...bytes, 'upload-offset': String(offset), 'upload-checksum': sum }
    return owner.send('PATCH', url, { headers, body })
  }

  it.for(['sha1', 'sha256', 'md5'])('of a piece is checked: %s', async (algorithm) => {
    const draft = await owner.createDraft()
    const [before, uploads] = [await daemon.storedBytes(), await daemon.storedUploads()]
    const url = await begun(owner, draft, { size: 6 })
    await append(owner, url, 0, Buffer.from('abc'))
    const wrong = await appendChecked(url, 3, 'dex', sumOf(algorithm, 'def'))
    expectProblem(wrong, 'upload_checksum_mismatch', /none of them was kept/)
    expect(wrong.status).toBe(460)
    expect(await offsetOf(owner, url)).toBe('3')
    expect(await daemon.storedBytes()).toEqual(before)
    const right = await appendChecked(url, 3, 'def', sumOf(algorithm, 'def'))
    expect([right.status, right.headers.get('upload-offset')]).toEqual([204, '6'])
    const [file] = await owner.files(draft)
    expect((await owner.get(file?.links.download ?? '')).bytes.toString()).toBe('abcdef')
    expect(await daemon.storedUploads()).toEqual(uploads)
  })

  it('is refused before a byte is read when it is malformed or of an unknown algorithm', async () => {
    const url = await begun(owner, await owner.createDraft(), { size: 3 })
    for (const sum of ['crc32 AAAA', 'sha1 AAAA', 'sha1', '']) {
      expectProblem(await appendChecked(url, 0, 'abc', sum), 'malformed_request')
    }
    expect(await offsetOf(owner, url)).toBe('0')
  })

  it('is checked for bytes in the first request, and begins no upload when it is wrong', async () => {
    const draft = await owner.createDraft()
    const send = (body: string): Promise<Reply> =>
      owner.post(draft.links['uploads'] ?? '', {
        headers: {
          ...bytes,
          'upload-length': '6',
          'upload-metadata': metadata({ name: 'a' }),
          'upload-checksum': sumOf('sha1', 'abc'),
        },
        body,
      })
    expectProblem(await send('abd'), 'upload_checksum_mismatch', /none of them was kept/)
    expect(await owner.get(draft.links['uploads'] ?? '')).toMatchObject({ body: [] })
    expect((await send('abc')).headers.get('upload-offset')).toBe('3')
  })
})

describe('the unfinished uploads of a deposit', () => {
  it('are limited in number, and deleting one makes room', async () => {
    const draft = await owner.createDraft()
    const list = draft.links['uploads'] ?? ''
    const begin = (length: number): Promise<Reply> =>
      owner.post(list, {
        headers: {
          ...tus,
          'upload-length': String(length),
          'upload-metadata': metadata({ name: crypto.randomUUID() }),
        },
      })
    const replies = await Promise.all(Array.from({ length: 9 }, () => begin(1)))
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(5)
    for (const reply of refused) expectProblem(reply, 'quota_exceeded', /4 unfinished uploads/)

    const { body } = await owner.get(list)
    const [{ links } = { links: { self: '' } }] = body as UploadListBody
    expect((await owner.send('DELETE', links.self, { headers: tus })).status).toBe(204)
    const { headers } = await begin(1)
    await append(owner, headers.get('location') ?? '', 0, Buffer.from('x'))
    expect((await begin(1)).status).toBe(201)
    expectProblem(await begin(1), 'quota_exceeded', /delete them: the link uploads lists them/)
    expect((await owner.createDraftWith('other')).revision).toBe(1)
  })
})

describe('Upload-Concat', () => {
  /** A part of a file, with its bytes. */
  async function part(deposit: DepositBody, text: string, size = text.length): Promise<string> {
    const reply = await owner.post(deposit.links['uploads'] ?? '', {
      headers: { ...bytes, 'upload-length': String(size), 'upload-concat': 'partial' },
      body: text,
    })
    expect([reply.status, reply.headers.get('upload-offset')]).toEqual([201, String(text.length)])
    return reply.headers.get('location') ?? ''
  }

  function concatenate(
    deposit: DepositBody,
    urls: readonly string[],
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    return owner.post(deposit.links['uploads'] ?? '', {
      headers: {
        ...tus,
        ...headers,
        'upload-concat': `final;${urls.join(' ')}`,
        'upload-metadata': metadata({ name: 'd/whole.bin', ...fields }),
      },
    })
  }

  it('makes one file of the parts in the given order, and removes the parts', async () => {
    const draft = await owner.createDraft()
    const [stored, uploads] = [await daemon.storedBytes(), await daemon.storedUploads()]
    const urls = [await part(draft, 'two '), await part(draft, 'one '), await part(draft, '')]
    const [two = '', one = '', none = ''] = urls
    const whole = await concatenate(draft, [one, two, none])
    expect([whole.status, whole.headers.get('upload-offset')]).toEqual([201, '8'])
    expect(whole.headers.get('deposit-revision')).toBe('1')
    const [file, ...others] = await owner.files(draft)
    expect(others).toEqual([])
    const sha256 = createHash('sha256').update('one two ').digest('hex')
    expect(file).toMatchObject({ filename: 'd/whole.bin', checksum: `sha256:${sha256}` })
    expect(whole.headers.get('content-location')).toBe(file?.links.self)
    expect((await owner.get(file?.links.download ?? '')).bytes.toString()).toBe('one two ')
    for (const url of urls) {
      expect((await owner.send('HEAD', url, { headers: tus })).status).toBe(404)
    }
    expect(await daemon.storedUploads()).toEqual(uploads)
    expect(await daemon.storedBytes()).toHaveLength(stored.length + 1)
    await owner.publish(draft)
  })

  it('answers the same when the request is repeated, and stores no more bytes', async () => {
    const draft = await owner.createDraft()
    const urls = [await part(draft, 'a'), await part(draft, 'b')]
    const first = await concatenate(draft, urls)
    const url = first.headers.get('location') ?? ''
    const again = await concatenate(draft, urls)
    expect([again.status, again.headers.get('location')]).toEqual([201, url])
    expect(await owner.keys(draft)).toEqual(['d/whole.bin'])
    const other = await concatenate(draft, urls, { name: 'other.bin' })
    expectProblem(other, 'upload_conflict', /"d\/whole.bin" already/)
    const seen = await owner.send('HEAD', url, { headers: tus })
    expect(seen.headers.get('upload-concat')).toBe(`final;${urls.join(' ')}`)
    expect(seen.headers.get('upload-length')).toBe('2')
    expectProblem(await append(owner, url, 2, Buffer.alloc(0)), 'invalid_action')
  })

  it('checks the checksum of the file also when the request is repeated', async () => {
    const draft = await owner.createDraft()
    const urls = [await part(draft, 'a'), await part(draft, 'b')]
    expect((await concatenate(draft, urls)).status).toBe(201)
    for (const algorithm of ['sha256', 'md5']) {
      const sumOf = (text: string): string =>
        `${algorithm}:${createHash(algorithm).update(text).digest('hex')}`
      const wrong = await concatenate(draft, urls, { checksum: sumOf('ba') })
      expectProblem(wrong, 'checksum_mismatch', /stays as it is/)
      const right = await concatenate(draft, urls, { checksum: sumOf('ab') })
      expect(right.status).toBe(201)
    }
  })

  it('refuses a checksum of bytes that the request does not carry', async () => {
    const draft = await owner.createDraft()
    const urls = [await part(draft, 'a'), await part(draft, 'b')]
    const refuse = async (sum: string): Promise<void> => {
      const reply = await concatenate(draft, urls, {}, { 'upload-checksum': sum })
      expectProblem(reply, 'malformed_request')
      expect(JSON.stringify(reply.body)).toContain('checksum in Upload-Metadata')
    }
    await refuse(`sha1 ${createHash('sha1').update('x').digest('base64')}`)
    expect((await concatenate(draft, urls)).status).toBe(201)
    await refuse('crc32 AAAA')
    await refuse('x')
  })

  it('marks a part as a part, until it becomes a file or is deleted', async () => {
    const draft = await owner.createDraft()
    const url = await part(draft, 'ab', 3)
    const seen = await owner.send('HEAD', url, { headers: tus })
    expect(seen.headers.get('upload-concat')).toBe('partial')
    const listed = await owner.get(draft.links['uploads'] ?? '')
    expect(listed.body).toMatchObject([{ partial: true, filesize: 3, offset: 2 }])
    expectProblem(await concatenate(draft, [url]), 'upload_conflict', /2 of 3 bytes/)
    expectProblem(await owner.act(draft, 'publish'), 'invalid_action')
    await append(owner, url, 2, Buffer.from('c'))
    expectProblem(await owner.act(draft, 'publish'), 'invalid_action')
    expect((await owner.send('DELETE', url, { headers: tus })).status).toBe(204)
    await owner.publish(draft)
  })

  it('refuses parts of other deposits, a part named twice, and a key that is taken', async () => {
    const draft = await owner.createDraftWith('taken')
    const [a, whole] = [await part(draft, 'a'), await begun(owner, draft, { size: 1 })]
    const elsewhere = await part(await owner.createDraft(), 'b')
    expectProblem(await concatenate(draft, [a, elsewhere]), 'upload_not_found')
    expectProblem(await concatenate(draft, [a, whole]), 'malformed_request')
    expectProblem(await concatenate(draft, [a, a]), 'malformed_request')
    expectProblem(await concatenate(draft, []), 'malformed_request')
    expectProblem(await concatenate(draft, ['https://example.org/x']), 'malformed_request')
    expectProblem(await concatenate(draft, [a], { name: 'taken' }), 'file_already_exists')
    expectProblem(await concatenate(draft, [a], { name: '..' }), 'wrong_file')
    expect(await offsetOf(owner, a)).toBe('1')
    expect((await concatenate(draft, [a], { name: 'taken', replace: 'true' })).status).toBe(201)
    const files = await owner.files(draft)
    expect(files.map(({ filename, filesize }) => [filename, filesize])).toEqual([['taken', 1]])
  })

  it('is 410 or finishes first when the deposit is deleted at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const draft = await owner.createDraft()
      const text = 'x'.repeat(2_000_000)
      const urls = [await part(draft, text), await part(draft, text)]
      const whole = concatenate(draft, urls)
      if (round > 0) await Promise.race([whole, delay(2 * round)])
      await owner.delete(`/deposits/${draft.id}`)
      expect([201, 410]).toContain((await whole).status)
    }
  })

  it('enforces the largest file size, and the checksum of the whole file', async () => {
    const draft = await owner.createDraft()
    const half = 'x'.repeat(3_000_000)
    const halves = [await part(draft, half), await part(draft, half)]
    expectProblem(await concatenate(draft, halves), 'file_too_large', /5000000/)
    for (const url of halves) await owner.send('DELETE', url, { headers: tus })
    const checksum = `md5:${createHash('md5').update('ab').digest('hex')}`
    const right = [await part(draft, 'a'), await part(draft, 'b')]
    const wrong = right.toReversed()
    const refused = await concatenate(draft, wrong, { checksum })
    expectProblem(refused, 'checksum_mismatch', /parts are still there/)
    expect(await owner.keys(draft)).toEqual([])
    expect(await offsetOf(owner, right[0] ?? '')).toBe('1')
    expect((await concatenate(draft, right, { checksum })).status).toBe(201)
  })
})
