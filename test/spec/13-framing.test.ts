import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { form, formType } from '../support/form.ts'
import { abortedRequest, cutRequest, head, rawRequest } from '../support/raw-request.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { DepositState } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const host = new URL(daemon.origin).host

let draft: DepositBody
let before: DepositState
let stored: readonly string[]
beforeEach(async () => {
  draft = await ada.createDraft()
  before = await ada.state(draft)
  stored = await daemon.storedBytes()
})

const file = { name: 'file', filename: 'a.bin', content: Buffer.alloc(200_000, 'x') }
const body = form(file)

const uploads = {
  'a form': () => ({ line: `POST /api/deposits/${draft.id}/files`, type: formType }),
  'raw bytes': () => ({
    line: `PUT ${new URL(draft.links['bucket'] ?? '').pathname}/a.bin`,
    type: 'application/octet-stream',
  }),
} as const

type Kind = keyof typeof uploads
const kinds = Object.keys(uploads) as readonly Kind[]

/** The head of an upload with further headers. */
async function uploadHead(kind: Kind, headers: Readonly<Record<string, string>>): Promise<string> {
  const { line, type } = uploads[kind]()
  const common = { host, connection: 'close', 'content-type': type }
  return head(line, { ...common, ...(await ada.authorization()), ...headers })
}

/** Expects that the deposit is unchanged, and that the daemon keeps none of the bytes. */
async function expectNothingKept(): Promise<void> {
  await expect.poll(() => daemon.storedBytes()).toEqual(stored)
  expect(await ada.state(draft)).toEqual(before)
}

const size = String(body.length)

describe.for(kinds)('An upload of %s that is framed wrongly', (kind) => {
  it('is cut off with FIN: it is refused, and nothing of it is kept', async () => {
    const start = await uploadHead(kind, { 'content-length': size })
    const reply = await cutRequest(daemon.origin, start, body.subarray(0, 100_000))

    expect([0, 400]).toContain(reply.status)
    await expectNothingKept()
  })

  it('is reset in the middle: nothing of it is kept', async () => {
    const start = await uploadHead(kind, { 'content-length': size })
    await abortedRequest(daemon.origin, start, body.subarray(0, 100_000))

    await expectNothingKept()
  })

  it('is chunked without the last chunk: it is refused, and nothing of it is kept', async () => {
    const start = await uploadHead(kind, { 'transfer-encoding': 'chunked' })
    const chunk = `${body.length.toString(16)}\r\n`
    const reply = await cutRequest(daemon.origin, start, chunk, body, '\r\n')

    expect([0, 400]).toContain(reply.status)
    await expectNothingKept()
  })

  it('has a chunk whose size is no number: it is refused, and nothing of it is kept', async () => {
    const start = await uploadHead(kind, { 'transfer-encoding': 'chunked' })
    const reply = await rawRequest(daemon.origin, start, 'zz\r\n', body, '\r\n0\r\n\r\n')

    expect([0, 400]).toContain(reply.status)
    await expectNothingKept()
  })

  it.for([
    { 'content-length': size, 'transfer-encoding': 'chunked' },
    { 'content-length': `${size}\r\ncontent-length: 7` },
    { 'transfer-encoding': 'xchunked' },
    { 'content-length': '-1' },
    { 'content-length': '0x10' },
    { 'content-length': '1e5' },
  ])('has contradicting lengths, %j: it is 400, and nothing of it is kept', async (headers) => {
    const reply = await rawRequest(daemon.origin, await uploadHead(kind, headers), body)

    expect(reply.status).toBe(400)
    await expectNothingKept()
  })

  it('ends its lines with a bare line feed: it is 400, and nothing of it is kept', async () => {
    const start = await uploadHead(kind, { 'content-length': size })
    const reply = await rawRequest(daemon.origin, start.replaceAll('\r\n', '\n'), body)

    expect([0, 400]).toContain(reply.status)
    await expectNothingKept()
  })

  it('is chunked and complete: it is accepted', async () => {
    const start = await uploadHead(kind, { 'transfer-encoding': 'chunked' })
    const chunk = `${body.length.toString(16)}\r\n`
    const reply = await rawRequest(daemon.origin, start, chunk, body, '\r\n0\r\n\r\n')

    expect(reply.status).toBe(201)
    expect(await ada.keys(draft)).toEqual(['a.bin'])
  })

  it('waits with Expect: 100-continue and has no good token: it is 401 without 100', async () => {
    const headers = { 'content-length': size, expect: '100-continue', authorization: 'Bearer no' }
    const reply = await rawRequest(daemon.origin, await uploadHead(kind, headers))

    expect(reply.text).toMatch(/^HTTP\/1\.1 401 /)
    await expectNothingKept()
  })

  it('waits with Expect: 100-continue and is permitted: it gets 100, and is accepted', async () => {
    const headers = { 'content-length': size, expect: '100-continue' }
    const reply = await rawRequest(daemon.origin, await uploadHead(kind, headers), body)

    expect(reply.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
  })
})

describe('An upload of a form', () => {
  it('has a file name that is not UTF-8: it is 400, and nothing of it is kept', async () => {
    const at = body.indexOf('a.bin')
    const broken = Buffer.from(body).fill(0xff, at, at + 2)
    const sent = await uploadHead('a form', { 'content-length': String(broken.length) })

    expect((await rawRequest(daemon.origin, sent, broken)).status).toBe(400)
    await expectNothingKept()
  })

  it.for(['1', '100000'])('announces %s bytes but sends more: nothing is kept', async (length) => {
    const sent = await uploadHead('a form', { 'content-length': length })

    expect([0, 400]).toContain((await rawRequest(daemon.origin, sent, body)).status)
    await expectNothingKept()
  })

  it('has content after its closing boundary: the file is kept, the rest is not', async () => {
    const longer = Buffer.concat([body, Buffer.from('and more')])
    const sent = await uploadHead('a form', { 'content-length': String(longer.length) })

    expect((await rawRequest(daemon.origin, sent, longer)).status).toBe(201)
    expect((await ada.files(draft)).map(({ filesize }) => filesize)).toEqual([200_000])
  })
})

describe('Requests that are pipelined', () => {
  it('are handled one after another: each sees the changes before it', async () => {
    const headers = { host, ...(await ada.authorization()) }
    const path = `/api/deposits/${draft.id}`
    const put = (title: string) => {
      const json = JSON.stringify({ title })
      const sent = { ...headers, 'content-type': 'application/json' }
      return head(`PUT ${path}`, { ...sent, 'content-length': String(json.length) }) + json
    }
    const last = head(`GET ${path}`, { ...headers, connection: 'close' })
    const { text } = await rawRequest(daemon.origin, put('First') + put('Second') + last)

    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(Array(3).fill('HTTP/1.1 200'))
    expect(text.match(/"title":"\w+"/g)).toEqual(
      ['First', 'Second', 'Second'].map((title) => `"title":"${title}"`),
    )
  })

  it('may be a thousand in one packet: all of them are answered', async () => {
    const lines = Array.from({ length: 1100 }, (_, index) => `GET /openapi.json?${index}`)
    const requests = lines.map((line, index) =>
      head(line, { host, ...(index === 1099 && { connection: 'close' }) }),
    )
    const { text } = await rawRequest(daemon.origin, requests.join(''))

    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1100)
  })
})
