import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { balancer } from '../support/balancer.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { User } from '../support/user.ts'

const clients = 8

describe.skipIf(!hasPostgres())('a rolling restart', () => {
  it('is seen by no client, and loses nothing', async () => {
    await using server = await startPostgres()
    await using front = await balancer()
    const env = {
      DEPOSIT_DATABASE_URL: await server.database(randomUUID()),
      DEPOSIT_PUBLIC_URL: front.origin,
      DEPOSIT_DRAIN_NOTICE_SECONDS: '1',
    }
    const first = await startDaemon(env)
    await using second = await startDaemon(env)
    for (const { url } of [first, second]) await front.add(url)
    const users = await Promise.all(
      Array.from({ length: clients }, (_, index) => newUser(first.operate, front.origin, index)),
    )
    const stopping = new AbortController()
    const working = Promise.all(users.map((user) => work(user, stopping.signal)))

    await first[Symbol.asyncDispose]()
    front.remove(first.url)
    await using third = await startDaemon(env)
    await front.add(third.url)
    await second[Symbol.asyncDispose]()
    stopping.abort()
    const seen = (await working).flat()

    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([201]))
    for (const { user, id } of seen) expect((await user.get(`/deposits/${id}`)).status).toBe(200)
  })
})

interface Seen {
  readonly user: User
  readonly status: number
  readonly id: string
}

async function work(user: User, signal: AbortSignal): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  while (!signal.aborted) {
    const { status, body } = await user.post('/deposits/', { json: { title: 'Under way' } })
    seen.push({ user, status, id: (body as Partial<DepositBody> | undefined)?.id ?? '' })
  }
  return seen
}

async function newUser(
  operate: (args: readonly string[]) => Promise<string>,
  origin: string,
  index: number,
): Promise<User> {
  const email = `user${index}@example.org`
  await operate(['user', 'add', email])
  const scope = 'deposit:write deposit:actions'
  const made = await operate(['token', 'create', '--user', email, '--scope', scope])
  const token = made.trim().split('\n').at(-1) ?? ''
  return new User(`${origin}/api`, async () => token)
}
