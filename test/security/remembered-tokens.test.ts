import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import type { Database } from '../../core/ports/database.ts'
import type { Identity } from '../../daemon/http/identity.ts'
import {
  issueToken,
  personalTokens,
  remembered,
} from '../../daemon/sign-in/identity/personal-tokens.ts'
import { clockReading } from '../support/clock-reading.ts'
import { sampleAccount, samplePid } from '../support/rows.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A user with a token, a clock that can be set, and the number of lookups of the token. */
async function signedIn(stack: AsyncDisposableStack, view?: Database['view']) {
  const { path } = stack.use(await temporaryFolder())
  const report = (error: unknown): never => {
    throw error
  }
  const database = stack.use(await openSqliteDatabase(join(path, 'deposit.db'), report))
  const time = { now: '2026-01-01T09:00:00.000Z' }
  const clock = clockReading(() => time.now)
  const account = sampleAccount()
  await database.write((unit) => unit.accounts.insert(account))
  const wish = { user: account.id, name: 'laptop', scopes: [], lifetimeMs: 60_000 }
  const { value, grant } = await issueToken({ database, clock }, wish)
  let asked = 0
  const rows: Identity = {
    identify: (token, network) => {
      asked += 1
      return personalTokens({ database, clock }).identify(token, network)
    },
  }
  const identity = remembered(rows, { database: view ? { view } : database, clock })
  const identify = async () => (await identity.identify(value, '127.0.0.1'))?.user
  return { database, account, grant, time, identify, asked: () => asked }
}

describe('A token that was used before', () => {
  it('is looked up once while the rows do not change', async () => {
    await using stack = new AsyncDisposableStack()
    const { account, identify, asked } = await signedIn(stack)

    const users = [await identify(), await identify(), await identify()]

    expect(users).toEqual([account.id, account.id, account.id])
    expect(asked()).toBe(1)
  })

  it('is looked up again after any change', async () => {
    await using stack = new AsyncDisposableStack()
    const { database, account, identify, asked } = await signedIn(stack)
    await identify()

    await database.write((unit) => unit.pids.insert(samplePid()))

    expect(await identify()).toBe(account.id)
    expect(asked()).toBe(2)
  })

  it('is refused in the very next request once it is revoked', async () => {
    await using stack = new AsyncDisposableStack()
    const { database, account, grant, identify } = await signedIn(stack)
    expect(await identify()).toBe(account.id)

    await database.write((unit) => unit.tokens.remove(grant.id))

    expect(await identify()).toBeUndefined()
  })

  it('is refused in the very next request once its user is disabled', async () => {
    await using stack = new AsyncDisposableStack()
    const { database, account, identify } = await signedIn(stack)
    expect(await identify()).toBe(account.id)

    await database.write((unit) => unit.accounts.update({ ...account, disabled: true }))

    expect(await identify()).toBeUndefined()
  })

  it('is refused once it expires, though nothing has changed', async () => {
    await using stack = new AsyncDisposableStack()
    const { account, time, identify } = await signedIn(stack)
    expect(await identify()).toBe(account.id)

    time.now = '2026-01-01T09:01:00.000Z'

    expect(await identify()).toBeUndefined()
  })

  it('is not remembered when a change is committed while it is looked up', async () => {
    await using stack = new AsyncDisposableStack()
    const { database, grant, identify } = await signedIn(stack)

    const [, during] = await Promise.all([
      database.write((unit) => unit.tokens.remove(grant.id)),
      identify(),
    ])

    expect([grant.user, undefined]).toContain(during)
    expect(await identify()).toBeUndefined()
  })

  it('is looked up each time if other processes can change the rows', async () => {
    await using stack = new AsyncDisposableStack()
    const { account, identify, asked } = await signedIn(stack, () => undefined)

    expect([await identify(), await identify()]).toEqual([account.id, account.id])
    expect(asked()).toBe(2)
  })
})
