import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { newBucketId, newVersionId } from '../../core/files/file.ts'
import { toFileKey } from '../../core/index.ts'
import { clockOf, type Clock } from '../../core/ports/clock.ts'
import { downloadLinks } from '../../daemon/sign-in/identity/download-links.ts'
import { endAsFirstSeen } from '../../daemon/sign-in/external/token-checker.ts'
import { guessLimit } from '../../daemon/http/authenticate.ts'
import type { Identified } from '../../daemon/http/identity.ts'
import { issueToken, personalTokens } from '../../daemon/sign-in/identity/personal-tokens.ts'
import { hashSecret, newSecret } from '../../daemon/sign-in/identity/secret.ts'
import { pagesClientId } from '../../daemon/sign-in/issuer/first-party-clients.ts'
import { formTickets } from '../../daemon/sign-in/issuer/form-ticket.ts'
import { issuerStore } from '../../daemon/sign-in/issuer/issuer-store.ts'
import { issuerTokens } from '../../daemon/sign-in/issuer/issuer-tokens.ts'
import { PendingDevices } from '../../daemon/sign-in/issuer/pending-devices.ts'
import { resourceAt } from '../../daemon/sign-in/issuer/scopes.ts'
import { sampleAccount } from '../support/rows.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** The clock of a process that starts now. */
function startClock(): Clock {
  return clockOf({ wall: Date.now, count: () => performance.now() })
}

function setBack(byMs: number): void {
  vi.setSystemTime(Date.now() - byMs)
}

async function openRows(stack: AsyncDisposableStack) {
  const { path } = stack.use(await temporaryFolder())
  return stack.use(await openSqliteDatabase(join(path, 'deposit.db'), () => {}))
}

async function withAccount(stack: AsyncDisposableStack) {
  const database = await openRows(stack)
  const account = sampleAccount()
  await database.write((unit) => unit.accounts.insert(account))
  return { database, account }
}

describe('A personal token', () => {
  async function issue(stack: AsyncDisposableStack, lifetimeMs?: number) {
    const { database, account } = await withAccount(stack)
    const clock = startClock()
    const wish = { user: account.id, name: 'laptop', scopes: [], ...(lifetimeMs && { lifetimeMs }) }
    const { value } = await issueToken({ database, clock }, wish)
    const isGood = async (at: Clock = clock): Promise<boolean> =>
      (await personalTokens({ database, clock: at }).identify(value, '127.0.0.1')) !== undefined
    return { isGood }
  }

  it('keeps its lifetime when the clock is set back', async () => {
    await using stack = new AsyncDisposableStack()
    const { isGood } = await issue(stack, hour)

    setBack(day)
    vi.advanceTimersByTime(hour - 1)
    expect(await isGood()).toBe(true)
    vi.advanceTimersByTime(1)

    expect(await isGood()).toBe(false)
  })

  it('that has expired stays expired when the clock is set back', async () => {
    await using stack = new AsyncDisposableStack()
    const { isGood } = await issue(stack, hour)
    setBack(-day)
    expect(await isGood()).toBe(false)

    setBack(day)

    expect(await isGood()).toBe(false)
  })

  it('is refused by a daemon started before its time of issue, and accepted from then on', async () => {
    await using stack = new AsyncDisposableStack()
    const { isGood } = await issue(stack, 2 * day)
    setBack(day)
    const restarted = startClock()

    expect(await isGood(restarted)).toBe(false)
    vi.advanceTimersByTime(day - minute)

    expect(await isGood(restarted)).toBe(true)
  })

  it('without an expiry is accepted even before its time of issue', async () => {
    await using stack = new AsyncDisposableStack()
    const { isGood } = await issue(stack)

    setBack(day)

    expect(await isGood(startClock())).toBe(true)
  })
})

describe('A code or token that the issuer stores', () => {
  const issued = () => {
    const iat = Math.floor(Date.now() / 1000)
    return { iat, exp: iat + 600 }
  }
  const leftOf = (exp = 0): number => exp - Math.floor(Date.now() / 1000)

  it.for(['DeviceCode', 'Interaction'])(
    'keeps its remaining time when the clock is set back: %s',
    async (kind) => {
      await using stack = new AsyncDisposableStack()
      const store = issuerStore({ database: await openRows(stack), clock: startClock() })(kind)
      await store.upsert('one', { ...issued(), uid: 'other name' }, 600)

      setBack(day)

      const found = await store.find('one')
      expect(leftOf(found?.exp)).toBe(600)
      // Approving stores it again, which does not extend it.
      await store.upsert('one', { ...found }, leftOf(found?.exp))
      setBack(hour)
      expect(leftOf((await store.find('one'))?.exp)).toBe(600)
    },
  )

  it('is not found by a daemon started before its time of issue', async () => {
    await using stack = new AsyncDisposableStack()
    const database = await openRows(stack)
    await issuerStore({ database, clock: startClock() })('RefreshToken').upsert('one', issued(), 60)

    setBack(day)

    const restarted = issuerStore({ database, clock: startClock() })('RefreshToken')
    expect(await restarted.find('one')).toBeUndefined()
  })
})

describe('An access token of the issuer', () => {
  const origin = 'http://127.0.0.1'

  async function issue(stack: AsyncDisposableStack) {
    const { database, account } = await withAccount(stack)
    const token = newSecret('access')
    const payload = {
      iat: Math.floor(Date.now() / 1000),
      aud: resourceAt(origin),
      accountId: account.id,
      clientId: pagesClientId,
    }
    const expires = new Date(Date.now() + hour).toISOString()
    const entry = { kind: 'AccessToken', hash: hashSecret(token), payload, expires }
    await database.write((unit) => unit.issuer.put(entry))
    return async (at = origin): Promise<boolean> => {
      const tokens = issuerTokens({ database, clock: startClock(), origin: () => at })
      return (await tokens.identify(token, '127.0.0.1')) !== undefined
    }
  }

  it('expires after an hour', async () => {
    await using stack = new AsyncDisposableStack()
    const isGood = await issue(stack)
    vi.advanceTimersByTime(hour - 1)
    expect(await isGood()).toBe(true)

    vi.advanceTimersByTime(1)

    expect(await isGood()).toBe(false)
  })

  it('is refused by a daemon started before its time of issue', async () => {
    await using stack = new AsyncDisposableStack()
    const isGood = await issue(stack)

    setBack(day)

    expect(await isGood()).toBe(false)
  })

  it('is refused by a service at another address', async () => {
    await using stack = new AsyncDisposableStack()
    const isGood = await issue(stack)

    expect(await isGood('https://data.example.org')).toBe(false)
  })
})

it('A download link expires after a minute even if the clock is set back', async () => {
  await using stack = new AsyncDisposableStack()
  const { database, account } = await withAccount(stack)
  const clock = startClock()
  const caller: Identified = {
    user: account.id,
    scopes: new Set(),
    admin: false,
    roles: new Set(),
    token: { name: 'laptop' },
  }
  const place = { bucket: newBucketId(), key: toFileKey('a'), version: newVersionId() }
  const links = downloadLinks({ database, clock })
  const [late, other] = [await links.issue(caller, place), await links.issue(caller, place)]

  setBack(hour)
  const restarted = downloadLinks({ database, clock: startClock() })
  expect(await restarted.redeem(other.ticket, place, 'use')).toBeUndefined()
  vi.advanceTimersByTime(minute)

  expect(await links.redeem(late.ticket, place, 'use')).toBeUndefined()
})

it('A form is accepted for ten minutes even if the clock is set back, but not one from the future', () => {
  const tickets = formTickets('a key', startClock())
  const ticket = tickets.issue('BCDF-GHJK')

  setBack(day)
  expect(formTickets('a key', startClock()).accepts(ticket, 'BCDF-GHJK')).toBe(false)
  vi.advanceTimersByTime(10 * minute - 1)
  expect(tickets.accepts(ticket, 'BCDF-GHJK')).toBe(true)
  vi.advanceTimersByTime(1)

  expect(tickets.accepts(ticket, 'BCDF-GHJK')).toBe(false)
})

describe('Devices that wait for approval', () => {
  it('make room once they expire, even if the clock is set back', () => {
    const devices = new PendingDevices()
    for (let code = 0; code < 1000; code++) devices.add(`code ${code}`, '127.0.0.1')

    setBack(day)
    vi.advanceTimersByTime(10 * minute + 1)

    expect(devices.add('late', '127.0.0.1')).toBeUndefined()
  })

  it('give way to a new one if their network has too many, first those that never polled', () => {
    const devices = new PendingDevices()
    devices.add('elsewhere', '203.0.113.8')
    for (let code = 0; code < 1000; code++) devices.add(`code ${code}`, '203.0.113.7')
    devices.ask('code 0')

    vi.advanceTimersByTime(20_000)

    expect(devices.add('late', '203.0.113.7')).toBe(hashSecret('code 1'))
    expect(devices.add('later', '203.0.113.8')).toBeUndefined()
  })

  it('may poll every five seconds even if the clock is set back', () => {
    const devices = new PendingDevices()
    devices.add('code', '127.0.0.1')
    expect(devices.ask('code')).toBe(false)

    setBack(day)
    vi.advanceTimersByTime(5000)

    expect(devices.ask('code')).toBe(false)
  })
})

it("An institution's token expires on time even if the clock is set back", () => {
  const hasEnded = endAsFirstSeen(minute)
  const claims = { exp: Math.floor(Date.now() / 1000) + 3600 }
  expect(hasEnded('token', claims)).toBe(false)

  setBack(hour / 2)
  vi.advanceTimersByTime(hour)
  expect(hasEnded('token', claims)).toBe(false)
  vi.advanceTimersByTime(minute)

  expect(hasEnded('token', claims)).toBe(true)
})

it('A user who guessed too often waits no longer than the window when the clock is set back', async () => {
  const limit = guessLimit(1, 600)
  await limit.begin('ada')

  setBack(day)

  const refused: unknown = await limit.begin('ada').catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'too_many_requests', details: { retryAfter: 600 } })
})
