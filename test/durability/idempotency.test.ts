import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { lastingDaemon } from '../support/lasting-daemon.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

let daemon: TestDaemon
let owner: User
beforeAll(async () => {
  daemon = await testDaemon()
  owner = daemon.as('owner')
})
afterAll(() => daemon[Symbol.asyncDispose]())

let keys = 0
const newKey = (): string => `key-${(keys += 1)}`

const once = (key: string) => ({ 'idempotency-key': key })

function create(key: string, json: unknown = { title: 'Tides' }, user = owner): Promise<Reply> {
  return user.post('/deposits/', { json, headers: once(key) })
}

function upload(draft: DepositBody, key: string, content = 'abc', name = 'a'): Promise<Reply> {
  const body = new FormData()
  body.set('file', new Blob([content]), name)
  return owner.post(`/deposits/${draft.id}/files`, { body, headers: once(key) })
}

function put(
  draft: DepositBody,
  key: string,
  content = 'abc',
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const url = `${draft.links['bucket']}/a`
  return owner.send('PUT', url, { body: content, headers: { ...once(key), ...headers } })
}

function publish(draft: DepositBody, key: string): Promise<Reply> {
  return owner.post(`/deposits/${draft.id}/actions/publish`, { headers: once(key) })
}

/** Everything of an answer that a client may rely on. */
function essence({ status, headers, bytes }: Reply) {
  const kept = ['location', 'etag', 'last-modified', 'link', 'deposit-revision', 'content-type']
  return { status, body: bytes.toString(), headers: kept.map((name) => headers.get(name)) }
}

describe('Idempotency-Key', () => {
  it('creates one deposit, and repeats the first answer', async () => {
    const key = newKey()
    const first = await create(key, { title: 'Tides', notes: 'x' })
    const deposit = bodyOf<DepositBody>(first, 201)
    await owner.put(`/deposits/${deposit.id}`, { title: 'Changed meanwhile' })
    const again = await create(key, { notes: 'x', title: 'Tides' })
    expect(essence(again)).toEqual(essence(first))
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(first.headers.get('idempotency-replayed')).toBeNull()
  })

  it('is refused with another request', async () => {
    const key = newKey()
    await create(key)
    expectProblem(await create(key, { title: 'Other' }), 'idempotency_key_reused')
    const draft = await owner.createDraft()
    expectProblem(await upload(draft, key), 'idempotency_key_reused')
    expectProblem(await publish(draft, key), 'idempotency_key_reused')
    expect(await owner.keys(draft)).toEqual([])
  })

  it('belongs to one user', async () => {
    const key = newKey()
    const mine = bodyOf<DepositBody>(await create(key), 201)
    const theirs = bodyOf<DepositBody>(await create(key, undefined, daemon.as('other')), 201)
    expect(theirs.id).not.toBe(mine.id)
  })

  it('lets a failed request be tried again', async () => {
    const key = newKey()
    expect((await create(key, { title: 5 })).status).toBe(400)
    expect((await create(key)).status).toBe(201)
  })

  it('is refused when it is malformed', async () => {
    for (const key of ['', 'a b', 'x'.repeat(256)]) {
      expectProblem(await create(key), 'malformed_request')
    }
  })

  it('gives the same answer to simultaneous uploads, and to simultaneous publishes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const draft = await owner.createDraft()
      for (const send of [upload, publish]) {
        const key = newKey()
        const replies = await Promise.all(Array.from({ length: 5 }, () => send(draft, key)))
        expect(new Set(replies.map((reply) => JSON.stringify(essence(reply)))).size).toBe(1)
        expect(replies[0]?.status).toBe(send === publish ? 202 : 201)
      }
    }
  })

  it('makes one change for many simultaneous requests', async () => {
    const key = newKey()
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(key)))
    expect(new Set(replies.map((reply) => JSON.stringify(essence(reply)))).size).toBe(1)
  })

  it('uploads a form once', async () => {
    const draft = await owner.createDraft()
    const key = newKey()
    const before = await daemon.storedBytes()
    const first = await upload(draft, key)
    expect(first.status).toBe(201)
    expect(essence(await upload(draft, key))).toEqual(essence(first))
    expectProblem(await upload(draft, key, 'abd'), 'idempotency_key_reused')
    expectProblem(await upload(draft, key, 'abc', 'b'), 'idempotency_key_reused')
    expect(await owner.keys(draft)).toEqual(['a'])
    expect(await daemon.storedBytes()).toHaveLength(before.length + 1)
  })

  it('stores one version of an object, even if its conditions no longer hold', async () => {
    const draft = await owner.createDraft()
    const key = newKey()
    const conditions = { 'if-match': '"0"', 'if-none-match': '*' }
    const first = await put(draft, key, 'abc', conditions)
    expect(first.status).toBe(201)
    expect(essence(await put(draft, key, 'abc', conditions))).toEqual(essence(first))
    const second = newKey()
    expect((await put(draft, second, 'new')).status).toBe(200)
    expect((await put(draft, second, 'new')).status).toBe(200)
    const versions = await owner.get(`${draft.links['bucket']}?versions`)
    expect(versions.body).toHaveLength(2)
    expect((await owner.show(draft)).revision).toBe(2)
  })

  it('publishes once, and repeats the answer to an upload after publishing', async () => {
    const draft = await owner.createDraft()
    const [fileKey, publishKey] = [newKey(), newKey()]
    const file = await upload(draft, fileKey)
    const first = await publish(draft, publishKey)
    expect(first.status).toBe(202)
    expect(essence(await publish(draft, publishKey))).toEqual(essence(first))
    expect(essence(await upload(draft, fileKey))).toEqual(essence(file))
    expectProblem(await publish(draft, newKey()), 'invalid_action')
  })
})

describe('a reply that is lost in a crash', () => {
  it('is sent when the request is repeated, and the change is made once', async () => {
    await using crashing = await lastingDaemon()
    const send = (): Promise<Reply> =>
      crashing.owner.post('/deposits/', { json: { title: 'Tides' }, headers: once('key') })
    const lost = send().catch(() => undefined)
    await expect.poll(async () => (await crashing.owner.search()).hits.total).toBe(1)
    await crashing.kill()
    await lost
    await crashing.start()

    const reply = bodyOf<DepositBody>(await send(), 201)

    const { hits, total } = (await crashing.owner.search()).hits
    expect(total).toBe(1)
    expect(hits[0]?.id).toBe(reply.id)
  })
})
