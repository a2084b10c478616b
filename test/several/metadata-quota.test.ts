import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

const quota = 200_000
const description = 'x'.repeat(9_000)

describe.skipIf(!hasPostgres())('changes of one user at several daemons at once', () => {
  const stack = new AsyncDisposableStack()
  let daemons: readonly TestDaemon[]
  beforeAll(async () => {
    const server = stack.use(await startPostgres())
    const env = {
      DEPOSIT_DATABASE_URL: await server.database(randomUUID()),
      DEPOSIT_QUOTA: String(quota),
    }
    daemons = [stack.use(await testDaemon({ env })), stack.use(await testDaemon({ env }))]
  })
  afterAll(() => stack.disposeAsync())

  /** The same user at each daemon. */
  async function everywhere(name: string): Promise<readonly User[]> {
    const [first] = daemons
    if (!first) throw new Error('there is no daemon')
    const { authorization = '' } = await first.as(name).authorization()
    return daemons.map(({ url }) => new User(url, async () => authorization.slice(7)))
  }

  async function used(user: User | undefined): Promise<number> {
    if (!user) throw new Error('there is no user')
    return bodyOf<{ readonly used: number }>(await user.get('/me'), 200).used
  }

  /** Sends again what the service was too busy for, as it asks. */
  async function insist(send: () => Promise<Reply>): Promise<Reply> {
    for (;;) {
      const reply = await send()
      if (reply.status !== 503) return reply
    }
  }

  function expectSome(replies: readonly Reply[], done: number): void {
    const others = replies.filter(({ status }) => status !== done)
    expect(others.length).toBeGreaterThan(0)
    expect(others.length).toBeLessThan(replies.length)
    for (const { body } of others) expect(body).toMatchObject({ code: 'quota_exceeded' })
  }

  it('make no more deposits than there is room for', async () => {
    const users = await everywhere('ada')
    const json = { title: 'Tides', description }

    const replies = await Promise.all(
      Array.from({ length: 20 }).flatMap(() =>
        users.map((user) => insist(() => user.post('/deposits/', { json }))),
      ),
    )

    expectSome(replies, 201)
    expect(await used(users[0])).toBeLessThanOrEqual(quota)
  })

  it('make no more of documents than there is room for', async () => {
    const users = await everywhere('bob')
    const drafts = await Promise.all(
      Array.from({ length: 20 }).flatMap(() =>
        users.map(async (user) =>
          bodyOf<DepositBody>(await user.post('/deposits/', { json: {} }), 201),
        ),
      ),
    )
    const document = { title: 'Tides', description }

    const replies = await Promise.all(
      drafts.map(async ({ id }, at) => {
        const user = users[at % users.length]
        if (!user) throw new Error('there is no user')
        return insist(() => user.put(`/deposits/${id}`, document))
      }),
    )

    expectSome(replies, 200)
    expect(await used(users[0])).toBeLessThanOrEqual(quota)
  })

  it('keep no more files beside documents than there is room for', async () => {
    const users = await everywhere('eve')
    const drafts = await Promise.all(
      Array.from({ length: 16 }).flatMap(() =>
        users.map(async (user) =>
          bodyOf<DepositBody>(await user.post('/deposits/', { json: {} }), 201),
        ),
      ),
    )
    const document = { title: 'Tides', description }

    const replies = await Promise.all(
      drafts.flatMap((draft, at) => {
        const user = users[at % users.length]
        if (!user) throw new Error('there is no user')
        return [
          insist(() => user.put(`/deposits/${draft.id}`, document)),
          insist(() => user.putObject(draft, 'a', description)),
        ]
      }),
    )

    const refused = replies.filter(({ status }) => status >= 300)
    expect(refused.length).toBeGreaterThan(0)
    for (const { body } of refused) expect(body).toMatchObject({ code: 'quota_exceeded' })
    expect(await used(users[0])).toBeLessThanOrEqual(quota)
  })
})
