import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { fileRowBytes } from '../support/row-bytes.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const fifty = Array.from({ length: 50 }, (_, index) => index)

describe('fifty clients at once', () => {
  it('do not exceed the quota of a user', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_QUOTA: '15500' } })
    const owner = daemon.as('owner')
    const draft = await owner.createDraft()
    const replies = await Promise.all(
      fifty.map((index) => owner.putObject(draft, `f${index}`, 'x'.repeat(1000))),
    )
    const statuses = Map.groupBy(replies, ({ status }) => status)
    expect(statuses.get(201)).toHaveLength(10)
    expect(statuses.get(507)).toHaveLength(40)
    const [refused] = statuses.get(507) ?? []
    if (refused) expectProblem(refused, 'quota_exceeded', /15500/)
    expect(await daemon.storedBytes()).toHaveLength(10)

    await owner.delete(`/deposits/${draft.id}/files/${(await owner.keys(draft))[0]}`)
    expect((await owner.putObject(draft, 'again', 'x'.repeat(1000))).status).toBe(201)
    expect((await daemon.as('other').createDraftWith('a')).revision).toBe(1)
  })

  it('do not exceed it with metadata, records or stored answers', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_QUOTA: '100000' } })
    const owner = daemon.as('owner')
    const document = { title: 'x'.repeat(9000) }
    const replies = await Promise.all(fifty.map(() => owner.post('/deposits/', { json: document })))
    const statuses = Map.groupBy(replies, ({ status }) => status)
    expect(statuses.get(201)).toHaveLength(11)
    const [refused] = statuses.get(507) ?? []
    if (refused) expectProblem(refused, 'quota_exceeded', /100000/)

    const [first, second] = (await owner.search('size=2')).hits.hits
    if (!first || !second) throw new Error('eleven drafts were made')
    expect((await owner.get(first.links['publish'] ?? '')).body).toMatchObject({
      publishable: false,
      errors: [{ code: 'quota_exceeded', message: expect.stringContaining('100000') as string }],
    })
    expectProblem(await owner.act(first, 'publish'), 'quota_exceeded', /100000/)
    const longer = await owner.put(`/deposits/${first.id}`, { title: 'x'.repeat(10_500) })
    expectProblem(longer, 'quota_exceeded', /100000/)
    expect((await owner.put(`/deposits/${first.id}`, { title: 'Short' })).status).toBe(200)
    expect((await owner.act(first, 'publish')).status).toBe(202)
    expect((await owner.delete(`/deposits/${second.id}`)).status).toBe(204)
    const keyed = { json: document, headers: { 'idempotency-key': 'once' } }
    expectProblem(await owner.post('/deposits/', keyed), 'quota_exceeded', /100000/)
    expect((await owner.post('/deposits/', { json: document })).status).toBe(201)
    expect((await daemon.as('other').createDraft(document)).revision).toBe(0)
  })

  it('leave an administrator room for corrections, and their owner room for changes that free space', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_QUOTA: '30000' } })
    const owner = daemon.as('owner')
    const curator = daemon.as('curator', { admin: true })
    const personal = { title: 'Tide', private_person: 'x'.repeat(4000) }
    const published = await owner.createPublished(personal)
    const edited = await owner.edit(await owner.createPublished({ title: 'Wave' }))
    const draft = await owner.createDraft({ title: 'x'.repeat(3000), notes: 'short' })
    const { used } = bodyOf<{ readonly used: number }>(await owner.get('/me'), 200)
    await owner.createDraft({ title: 'x'.repeat(30_000 - used - 30) })
    const refused = await owner.post('/deposits/', { json: { title: 'x'.repeat(100) } })
    const whose = /^The quota of owner@example.org is 30000 bytes.*user quota owner@example.org/
    expectProblem(refused, 'quota_exceeded', whose)

    const record = published.links['record'] ?? ''
    const takedown = [{ op: 'remove', path: '/private_person' }]
    expect((await curator.patch(record, takedown)).status).toBe(200)
    const seen = bodyOf<{ readonly metadata: object }>(await daemon.visitor.get(record), 200)
    expect(seen.metadata).not.toHaveProperty('private_person')
    const at = `/deposits/${draft.id}`
    const note = [{ op: 'replace', path: '/notes', value: 'x'.repeat(900) }]
    expectProblem(await owner.patch(at, note), 'quota_exceeded', whose)
    expect((await curator.patch(at, note)).status).toBe(200)
    expect((await curator.putObject(draft, 'note', 'x'.repeat(100))).status).toBe(201)
    const full = bodyOf<{ readonly used: number }>(await owner.get('/me'), 200)
    expect(full.used).toBeGreaterThan(30_900)

    const headers = { 'idempotency-key': 'discard' }
    const discard = `/deposits/${edited.id}/actions/discard`
    expect((await owner.post(discard, { headers })).status).toBe(201)
    expect((await owner.post(discard, { headers })).status).toBe(201)
    expect((await owner.patch(at, [{ op: 'remove', path: '/notes' }])).status).toBe(200)
    expectProblem(await owner.act(draft, 'publish'), 'quota_exceeded', whose)
    expect((await curator.get(draft.links['publish'] ?? '')).body).toMatchObject({
      publishable: true,
    })
    expect((await curator.act(draft, 'publish')).status).toBe(202)
  })

  it('do not exceed the number of files of a deposit', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_MAX_FILES: '7' } })
    const owner = daemon.as('owner')
    const draft = await owner.createDraft()
    const replies = await Promise.all(fifty.map((index) => owner.upload(draft, `f${index}`, 'x')))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(7)
    expect(await owner.keys(draft)).toHaveLength(7)
    expect(await daemon.storedBytes()).toHaveLength(7)
  })

  it('store no file and no document beyond its limit', async () => {
    const env = { DEPOSIT_MAX_FILE_SIZE: '1000', DEPOSIT_MAX_BODY: '500' }
    await using daemon = await testDaemon({ env })
    const owner = daemon.as('owner')
    const draft = await owner.createDraft()
    const before = await owner.state(draft)
    const tooLarge = 'x'.repeat(1001)
    const replies = await Promise.all(
      fifty.flatMap((index) => [
        owner.upload(draft, `form${index}`, tooLarge),
        owner.putObject(draft, `raw${index}`, tooLarge),
        owner.put(`/deposits/${draft.id}`, { title: tooLarge }),
      ]),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([413]))
    expect(await owner.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual([])
  })

  it('wait for their turn, and are all served', async () => {
    const env = { DEPOSIT_UPLOADS_AT_ONCE: '2', DEPOSIT_UPLOADS_AT_ONCE_PER_USER: '1' }
    await using daemon = await testDaemon({ env })
    const owner = daemon.as('owner')
    const draft = await owner.createDraft()
    const replies = await Promise.all(fifty.map((index) => owner.upload(draft, `f${index}`)))
    expect(replies.every(({ status }) => status === 201)).toBe(true)
  })
})

it('an upload under way counts against the quota with its announced size', async () => {
  // An empty document, and what is begun and refused below, up to its last byte.
  const quota = 2 + 600 + 400 + 2 * fileRowBytes('f600')
  await using daemon = await testDaemon({ env: { DEPOSIT_QUOTA: String(quota) } })
  const owner = daemon.as('owner')
  const draft = await owner.createDraft({})
  const begin = (size: number) =>
    owner.post(draft.links['uploads'] ?? '', {
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': String(size),
        'upload-metadata': `filename ${Buffer.from(`f${size}`).toString('base64')}`,
      },
    })
  const first = await begin(600)
  const used = new RegExp(`${602 + fileRowBytes('f600')} of them are used`)
  expectProblem(await begin(401), 'quota_exceeded', used)
  expectProblem(await owner.upload(draft, 'file', 'x'.repeat(401)), 'quota_exceeded', used)
  const url = first.headers.get('location') ?? ''
  await owner.send('DELETE', url, { headers: { 'tus-resumable': '1.0.0' } })
  const left = quota - 2 - fileRowBytes('file')
  const large = await owner.upload(draft, 'file', 'x'.repeat(left + 1))
  expectProblem(large, 'quota_exceeded', /2 of them are used.* would add/)
  expect((await owner.upload(draft, 'file', 'x'.repeat(left))).status).toBe(201)
})

describe('a file beyond the limit', () => {
  let daemon: TestDaemon
  beforeAll(async () => {
    daemon = await testDaemon({ env: { DEPOSIT_MAX_FILE_SIZE: '1000000' } })
  })
  afterAll(() => daemon[Symbol.asyncDispose]())

  async function put(draft: DepositBody, headers: Readonly<Record<string, string>>) {
    const { host, pathname } = new URL(`${draft.links['bucket']}/a`)
    const token = await daemon.as('owner').authorization()
    return head(`PUT ${pathname}`, { host, ...token, ...headers })
  }

  it('is refused before any byte of it is sent', async () => {
    const draft = await daemon.as('owner').createDraft()
    const reply = await rawRequest(daemon.origin, await put(draft, { 'content-length': '1000001' }))
    expect(reply.status).toBe(413)
    expect(reply.text).toContain('file_too_large')
  })

  it('is refused part-way when its length was not announced, and the answer arrives', async () => {
    const draft = await daemon.as('owner').createDraft()
    const socket = connect(Number(new URL(daemon.origin).port), '127.0.0.1')
    const answer: Buffer[] = []
    socket.on('data', (chunk: Buffer) => answer.push(chunk)).on('error', () => {})
    socket.write(await put(draft, { 'transfer-encoding': 'chunked' }))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const chunk = `10000\r\n${'x'.repeat(0x1_0000)}\r\n`
    const sending = setInterval(() => socket.writable && socket.write(chunk.repeat(4)), 1)
    await closed
    clearInterval(sending)
    expect(Buffer.concat(answer).toString()).toMatch(/^HTTP\/1\.1 413 .*file_too_large/s)
    expect(await daemon.storedBytes()).toEqual([])
  })
})

describe('a request without progress', () => {
  let daemon: TestDaemon
  beforeAll(async () => {
    daemon = await testDaemon({ env: { DEPOSIT_PROGRESS_SECONDS: '1' } })
  })
  afterAll(() => daemon[Symbol.asyncDispose]())

  async function begin(line: string, headers: Readonly<Record<string, string>>): Promise<Socket> {
    const { host, port } = new URL(daemon.origin)
    const token = await daemon.as('owner').authorization()
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head(line, { host, ...token, ...headers }))
    return socket
  }

  async function answerOf(socket: Socket): Promise<string> {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(socket, 'close')
    return Buffer.concat(chunks).toString()
  }

  it.for(['raw', 'form', 'json', 'tus'])('is answered with 408 (%s)', async (kind) => {
    const draft = await daemon.as('owner').createDraft()
    const length = { 'content-length': '5000' }
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc'
    const ways = {
      raw: [`PUT ${new URL(draft.links['bucket'] ?? '').pathname}/a`, {}, 'abc'],
      form: [
        `POST /api/deposits/${draft.id}/files`,
        { 'content-type': 'multipart/form-data; boundary=b' },
        part,
      ],
      json: ['POST /api/deposits/', { 'content-type': 'application/json' }, '{"title"'],
      tus: [
        `POST /api/deposits/${draft.id}/uploads`,
        {
          'tus-resumable': '1.0.0',
          'upload-length': '5000',
          'upload-metadata': `filename ${Buffer.from('a').toString('base64')}`,
          'content-type': 'application/offset+octet-stream',
        },
        'abc',
      ],
    } as const
    const [line, headers, bytes] = ways[kind as keyof typeof ways]
    const socket = await begin(line, { ...headers, ...length })
    socket.write(bytes)
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 408 .*request_timeout/s)
    expect(await daemon.storedBytes()).toEqual([])
  })

  it('is not confused with a slow one', async () => {
    const draft = await daemon.as('owner').createDraft()
    const path = `${new URL(draft.links['bucket'] ?? '').pathname}/slow`
    const socket = await begin(`PUT ${path}`, { 'content-length': '30000', connection: 'close' })
    const answer = answerOf(socket)
    for (let sent = 0; sent < 30_000; sent += 3000) {
      socket.write('x'.repeat(3000))
      await sleep(250)
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /)
  })
})
