import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, SearchBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

let daemon: TestDaemon
let ada: User
let bob: User
/** Ada's draft of 26,000 objects, and Bob's of none. */
let draft: DepositBody
let own: DepositBody
beforeAll(async () => {
  daemon = await testDaemon()
  ada = daemon.as('ada')
  bob = daemon.as('bob')
  own = await bob.createDraft({ title: 'Small' })
  draft = await ada.createDraft({ title: 'Large', x: objects })
  // There is something to undo.
  const changed = await ada.put(`/deposits/${draft.id}`, { title: 'Larger', x: objects })
  draft = bodyOf(changed, 200)
})
afterAll(() => daemon[Symbol.asyncDispose]())

const objects = Array.from({ length: 26_000 }, (_, at) => ({ a: `value ${at}` }))

const many = 24

/** How many of `count` requests were answered when another user has had some answers, one by one. */
async function overtaken(count: number, send: () => Promise<Reply>, ask: () => Promise<void>) {
  const statuses: number[] = []
  const note = async (): Promise<void> => {
    statuses.push((await send()).status)
  }
  // Their connections are open, so that all of them are there before the other user asks.
  const health = (): Promise<Reply> => daemon.visitor.get(`${daemon.origin}/health`)
  await Promise.all(Array.from({ length: count }, health))
  const all = Array.from({ length: count }, note)
  await Promise.race(all)
  await ask()
  const before = statuses.length
  await Promise.all(all)
  return { before, statuses: new Set(statuses) }
}

async function readSmall(): Promise<void> {
  for (let at = 0; at < 3; at += 1) {
    expect((await daemon.visitor.get(`${daemon.origin}/health`)).status).toBe(200)
    expect((await bob.get(`/deposits/${own.id}`)).status).toBe(200)
  }
}

const merge = { 'content-type': 'application/merge-patch+json' }
const copy = { json: [{ op: 'copy', from: '/x', path: '/y' }] }

describe('requests for a large draft, between which others are answered', () => {
  const item = (): string => `/deposits/${draft.id}`
  it.for<readonly [string, number, number, () => Promise<Reply>]>([
    ['to read it', 200, 2 * many, () => ada.get(item())],
    ['to read it indented', 200, many, () => ada.get(`${item()}?prettyprint=1`)],
    ['to rehearse an undo', 200, many, () => ada.get(`${item()}/actions/undo`)],
    ['to undo a change', 201, many, () => ada.act(draft, 'undo')],
    ['to copy much in it', 400, 2 * many, () => ada.send('PATCH', item(), copy)],
    [
      'to change a little of it',
      200,
      2 * many,
      () => ada.send('PATCH', item(), { json: { title: 'Other' }, headers: merge }),
    ],
  ])('%s', async ([, status, count, send]) => {
    const { before, statuses } = await overtaken(count, send, readSmall)
    expect(statuses).toEqual(new Set([status]))
    expect(before).toBeLessThan(count / 2)
  })
})

describe('requests of one user for a large draft, between which another one has the same', () => {
  it.for([
    ['to export it', 'export/datacite-json'],
    ['to rehearse its publication', 'actions/publish'],
  ] as const)('%s', async ([, path]) => {
    const { id } = await bob.createDraft({ title: 'Large, too', x: objects })
    const read = (user: User, of: string): Promise<Reply> => user.get(`/deposits/${of}/${path}`)
    const { before, statuses } = await overtaken(
      many,
      () => read(ada, draft.id),
      async () => expect((await read(bob, id)).status).toBe(200),
    )
    expect(statuses).toEqual(new Set([200]))
    expect(before).toBeLessThan(many / 2)
  })

  it('to list it', async () => {
    const list = (user: User): Promise<Reply> => user.get('/deposits/?size=100')
    const { before, statuses } = await overtaken(
      2 * many,
      () => list(ada),
      async () => expect((await list(bob)).status).toBe(200),
    )
    expect(statuses).toEqual(new Set([200]))
    expect(before).toBeLessThan(many)
  })
})

describe('a large draft', () => {
  it('is read as it was written, alone and in lists, by its owner and by a link', async () => {
    const item = `/deposits/${draft.id}`
    const read = bodyOf<DepositBody>(await ada.get(item), 200)
    const { x, ...others } = read.metadata as { readonly x?: unknown }
    expect(JSON.stringify(x)).toBe(JSON.stringify(objects))
    expect(others).toMatchObject({ _deposit: { id: draft.id, status: 'draft' } })
    expect(others).toHaveProperty('$schema')
    const whole = JSON.stringify(read)
    const indented = await ada.get(`${item}?prettyprint=1`)
    expect(indented.bytes.toString()).toContain('\n  "id"')
    expect(JSON.stringify(bodyOf(indented, 200))).toBe(whole)
    const { hits } = bodyOf<SearchBody>(await ada.get('/deposits/'), 200)
    expect(hits.hits.map((hit) => JSON.stringify(hit))).toContain(whole)

    const made = await ada.post(`${item}/links`, { json: { role: 'reader' } })
    const { url } = bodyOf<{ readonly url: string }>(made, 201)
    const secret = new URL(url).searchParams.get('key') ?? ''
    const shared = await daemon.visitor.get(item, { cookie: `deposit_link=${secret}` })
    expect(JSON.stringify(bodyOf<DepositBody>(shared, 200).metadata)).toBe(
      JSON.stringify(read.metadata),
    )
  })

  it('is as unchanged to those who have it as a small one', async () => {
    const item = `/deposits/${draft.id}`
    const etag = (await ada.get(item)).headers.get('etag') ?? ''
    expect((await ada.get(item, { 'if-none-match': etag })).status).toBe(304)
  })

  it('is answered as it is when its turn comes', async () => {
    const reading = Array.from({ length: many }, () => ada.get(`/deposits/${draft.id}`))
    await reading[0]
    const title = 'Changed while others wait'
    const changing = ada.put(`/deposits/${draft.id}`, { title, x: objects })
    const replies = await Promise.all(reading)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await changing).status).toBe(200)
    const { metadata } = await ada.show(draft)
    expect((metadata as { readonly title?: unknown }).title).toBe(title)
  })

  it('is asked for by clients that leave, whose turns are for others', async () => {
    const headers = await ada.authorization()
    const url = `${daemon.url}/deposits/${draft.id}`
    for (let at = 0; at < 2 * many; at += 1) {
      const leaving = new AbortController()
      const asked = fetch(`${url}?prettyprint=1`, { headers, signal: leaving.signal })
      asked.catch(() => {})
      if (at % 2 === 0) await bob.get(`/deposits/${own.id}`)
      leaving.abort()
    }
    expect((await ada.get(`/deposits/${draft.id}?prettyprint=1`)).status).toBe(200)
    expect((await ada.get(`/deposits/${draft.id}`)).status).toBe(200)
  })
})
