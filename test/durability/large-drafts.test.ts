import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await testDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const many = 30

/** How many of many requests were answered when another user has had five answers, one by one. */
async function overtaken(
  send: (draft: DepositBody, user: User) => Promise<{ readonly status: number }>,
) {
  const [ada, bob] = [daemon.as('ada'), daemon.as('bob')]
  const own = await bob.createDraft({ title: 'Small' })
  const draft = await ada.createDraft({
    title: 'Large',
    x: Array.from({ length: 45_000 }, (_, at) => ({ a: `value ${at}` })),
  })
  const statuses: number[] = []
  const note = async (): Promise<void> => {
    statuses.push((await send(draft, ada)).status)
  }
  const all = Array.from({ length: many }, note)
  await all[0]
  for (let at = 0; at < 5; at += 1) {
    expect((await daemon.visitor.get(`${daemon.origin}/health`)).status).toBe(200)
    expect((await bob.get(`/deposits/${own.id}`)).status).toBe(200)
  }
  const before = statuses.length
  await Promise.all(all)
  return { before, statuses: new Set(statuses) }
}

describe('costly requests for a large draft', () => {
  it('are rehearsed in turns, between which others are answered', async () => {
    const { before, statuses } = await overtaken(({ links }, ada) =>
      ada.get(links['publish'] ?? ''),
    )
    expect(statuses).toEqual(new Set([200]))
    expect(before).toBeLessThan(many / 2)
  })

  it('are patched in turns, between which others are answered', async () => {
    const copy = { json: [{ op: 'copy', from: '/x', path: '/y' }] }
    const { before, statuses } = await overtaken(({ id }, ada) =>
      ada.send('PATCH', `/deposits/${id}`, copy),
    )
    expect(statuses).toEqual(new Set([400]))
    expect(before).toBeLessThan(many)
  })
})
