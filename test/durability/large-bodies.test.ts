import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { head } from '../support/raw-request.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await testDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const large = JSON.stringify({ title: 'Large', description: 'x'.repeat(100_000) })

/** A request that has sent its head, and sends its body when it is asked for. */
class Held implements Disposable {
  readonly #socket: Socket
  #text = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => (this.#text += chunk.toString())).on('error', () => {})
  }

  static async open(user: User, size: Readonly<Record<string, string>>): Promise<Held> {
    const { hostname, port, host } = new URL(daemon.url)
    const socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    const headers = {
      host,
      ...(await user.authorization()),
      'content-type': 'application/json',
      expect: '100-continue',
      ...size,
    }
    socket.write(head('POST /api/deposits/', headers))
    return new Held(socket)
  }

  get isAsked(): boolean {
    return this.#text.startsWith('HTTP/1.1 100')
  }

  get status(): string | undefined {
    return /HTTP\/1\.1 ([2-5]\d\d)/.exec(this.#text)?.[1]
  }

  get text(): string {
    return this.#text
  }

  send(text: string): void {
    this.#socket.write(text)
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}

const ofSize = { 'content-length': String(Buffer.byteLength(large)) }

async function hold(user: User, count: number, size: Readonly<Record<string, string>> = ofSize) {
  const stack = new DisposableStack()
  const all: Held[] = []
  for (let at = 0; at < count; at += 1) all.push(stack.use(await Held.open(user, size)))
  const asked = (): readonly Held[] => all.filter(({ isAsked }) => isAsked)
  return { all, asked, [Symbol.dispose]: () => stack.dispose() }
}

const create = (user: User, body = large) =>
  user.post('/deposits/', { body, headers: { 'content-type': 'application/json' } })

describe('large bodies of one user', () => {
  it.for([
    ['of a known length', ofSize] as const,
    ['in chunks', { 'transfer-encoding': 'chunked' }] as const,
  ])('are asked for four at a time, and nobody else waits for them: %s', async ([, size]) => {
    const [ada, bob] = [daemon.as('ada'), daemon.as('bob')]
    using held = await hold(ada, 5, size)
    await expect.poll(() => held.asked().length).toBe(4)

    expect((await daemon.visitor.get(`${daemon.origin}/health`)).status).toBe(200)
    expect((await create(bob)).status).toBe(201)
    const small = await ada.createDraft({ title: 'Small' })
    expect((await ada.get(`/deposits/${small.id}`)).status).toBe(200)
    expect(held.asked()).toHaveLength(4)

    const [first] = held.asked()
    const length = Buffer.byteLength(large).toString(16)
    first?.send('transfer-encoding' in size ? `${length}\r\n${large}\r\n0\r\n\r\n` : large)
    await expect.poll(() => first?.status).toBe('201')
    await expect.poll(() => held.asked().length).toBe(5)
  })

  it('are refused where a hundred wait already, and taken again once these are gone', async () => {
    const eve = daemon.as('eve')
    using held = await hold(eve, 105)
    const refused = (): readonly Held[] => held.all.filter(({ status }) => status !== undefined)
    await expect.poll(() => refused().length).toBe(1)
    expect(refused()[0]?.text).toMatch(
      /^HTTP\/1\.1 429 [^]*retry-after: 5\r\n[^]*104 large requests/i,
    )
    expect((await create(eve)).status).toBe(429)
    expect((await create(daemon.as('bob'))).status).toBe(201)

    held[Symbol.dispose]()
    await expect.poll(async () => (await create(eve)).status).toBe(201)
  })

  it('leave files alone, which have turns of their own', async () => {
    const ada = daemon.as('ada')
    using held = await hold(ada, 5)
    await expect.poll(() => held.asked().length).toBe(4)
    const draft = await ada.createDraftWith('a.txt')
    expect(
      (await ada.put(`${draft.links['bucket']}/b.json`, { x: 'y'.repeat(100_000) })).status,
    ).toBe(201)
    expect(held.asked()).toHaveLength(4)
  })
})

describe('large bodies of all users', () => {
  /** A form whose file never ends: others with its key wait for it. */
  const neverEnding = async (user: User, key: string): Promise<Socket> => {
    const { id } = await user.createDraft()
    const { hostname, port, host } = new URL(daemon.url)
    const socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    socket.on('error', () => {})
    const headers = {
      host,
      ...(await user.authorization()),
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': '1000000',
      'idempotency-key': key,
    }
    socket.write(head(`POST /api/deposits/${id}/files`, headers))
    socket.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\na')
    return socket
  }

  it('are worked on sixteen at a time, and small ones wait for none of them', async () => {
    const users = ['u1', 'u2', 'u3', 'u4'].map((name) => daemon.as(name))
    using stack = new DisposableStack()
    const forms: Socket[] = []
    const key = 'the-same-for-all'
    for (const user of users) {
      const form = await neverEnding(user, key)
      stack.defer(() => form.destroy())
      forms.push(form)
    }
    const bob = daemon.as('bob')
    const small = await bob.createDraft({ title: 'Small' })
    const readSmall = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at += 1)
        expect((await bob.get(`/deposits/${small.id}`)).status).toBe(200)
    }
    await readSmall(5)
    const statuses: number[] = []
    const sixteen = users.flatMap((user) =>
      Array.from({ length: 4 }, async () => {
        const headers = { 'content-type': 'application/json', 'idempotency-key': key }
        statuses.push((await user.post('/deposits/', { body: large, headers })).status)
      }),
    )
    await readSmall(20)
    let isAnswered = false
    const seventeenth = create(bob).then(({ status }) => {
      isAnswered = true
      return status
    })
    await readSmall(20)
    expect(statuses).toEqual([])
    expect(isAnswered).toBe(false)

    forms[0]?.destroy()
    expect(await seventeenth).toBe(201)
    for (const form of forms) form.destroy()
    await Promise.all(sixteen)
    expect(new Set(statuses)).toEqual(new Set([201]))
  })
})

describe('a document', () => {
  const many = (count: number) => ({ x: Array.from({ length: count }, () => ({})) })

  it('has at most 50,000 objects and arrays', async () => {
    const ada = daemon.as('ada')
    const draft = await ada.createDraft(many(49_998))
    const path = `/deposits/${draft.id}`
    const more = await ada.put(path, many(49_999))
    expect(more.status).toBe(400)
    expect(JSON.stringify(more.body)).toContain(
      'the document has more than 50000 objects and arrays',
    )
    const patched = await ada.send('PATCH', path, { json: [{ op: 'add', path: '/y', value: [] }] })
    expect(patched.status).toBe(400)
    expect(JSON.stringify(patched.body)).toContain('more than 50000 objects and arrays')
    const merged = await ada.send('PATCH', path, {
      json: { y: [] },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect([merged.status, JSON.stringify(merged.body)]).toEqual([
      400,
      expect.stringContaining('more than 50000 objects and arrays'),
    ])
  })

  it('may have 5,000 creators with affiliations and identifiers', async () => {
    const creators = Array.from({ length: 5000 }, (_, at) => ({
      name: `Person ${at}`,
      affiliations: [{ name: 'U' }, { name: 'V', identifiers: [{ identifier: 'i' }] }],
      identifiers: [{ scheme: 'orcid', identifier: '0000' }],
    }))
    const body = JSON.stringify({ title: 'Many', creators })
    const draft = bodyOf<DepositBody>(await create(daemon.as('ada'), body), 201)
    expect((draft.metadata as { readonly creators?: unknown }).creators).toHaveLength(5000)
  })
})
