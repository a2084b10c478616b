import { initiateDeviceAuthorization } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { approveAsOwner, cliClient, cliScope, collectTokens } from '../support/sign-in.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

describe('guesses', () => {
  it('of a code end after five wrong ones, and the right one is refused then too', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)
    const { user_code: right } = await initiateDeviceAuthorization(client, { scope: cliScope })

    const wrong = await Promise.all(Array.from({ length: 8 }, () => type(daemon, 'BBBB-BBBB')))

    expect(wrong.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      ...Array<number>(5).fill(404),
      ...Array<number>(3).fill(429),
    ])
    const late = await type(daemon, right)
    expect(late.status).toBe(429)
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(60)
  })

  it('from many addresses, a hundred an hour, end every code that waits', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_TRUSTED_PROXIES: '127.0.0.1' } })
    const client = await cliClient(daemon)
    const [early, late] = await Promise.all([
      initiateDeviceAuthorization(client, { scope: cliScope }),
      initiateDeviceAuthorization(client, { scope: cliScope }),
    ])
    const guess = async (from: number): Promise<number> =>
      (await type(daemon, 'BBBB-BBBB', { 'x-forwarded-for': `203.0.113.${from}` })).status

    for (let from = 0; from < 24; from++) {
      expect(await Promise.all([from, from, from, from].map(guess))).toEqual([404, 404, 404, 404])
    }
    expect((await approveAsOwner(daemon, early.user_code)).status).toBe(200)
    expect(await Promise.all([24, 24, 24, 24].map(guess))).toEqual([404, 404, 404, 404])

    expect((await approveAsOwner(daemon, late.user_code)).status).toBe(404)
    expect(await guess(25)).toBe(429)
    // What was approved before has been let in.
    const { access_token: token } = await collectTokens(client, early)
    expect(token).toBeDefined()
  })

  it('of one address are counted as such, whatever addresses it says it has', async () => {
    await using daemon = await testDaemon()
    const guess = async (from: number): Promise<number> => {
      const forged = { 'x-forwarded-for': `203.0.113.${from}`, forwarded: `for=203.0.113.${from}` }
      return (await type(daemon, 'BBBB-BBBB', forged)).status
    }

    const wrong = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(guess))

    expect(wrong.filter((status) => status === 429)).toHaveLength(3)
  })

  it('are none where the code is right', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)
    const { user_code: right } = await initiateDeviceAuthorization(client, { scope: cliScope })

    for (let count = 0; count < 7; count++) {
      expect((await type(daemon, right.toLowerCase().replace('-', ' '))).status).toBe(200)
    }
  })

  it('of a form that we did not make are refused', async () => {
    await using daemon = await testDaemon()
    const body = new URLSearchParams({ user_code: 'BBBB-BBBB', ticket: '1.x', decision: 'deny' })

    const reply = await send('POST', `${daemon.origin}/device/approve`, { body })

    expect(reply.status).toBe(403)
  })
})

function type({ origin }: TestDaemon, code: string, headers = {}) {
  const body = new URLSearchParams({ user_code: code })
  return send('POST', `${origin}/device`, { body, headers })
}
