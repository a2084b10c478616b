import { initiateDeviceAuthorization } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { send, type Reply } from '../support/http.ts'
import { approveAsOwner, cliClient, cliScope, collectTokens } from '../support/sign-in.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

describe('guesses', () => {
  it('of a code are refused after five wrong ones, except to a user who signs in', async () => {
    await using daemon = await testDaemon()
    await addAda(daemon)
    const client = await cliClient(daemon)
    const { user_code: right } = await initiateDeviceAuthorization(client, { scope: cliScope })

    const wrong = await Promise.all(Array.from({ length: 8 }, () => type(daemon, 'BBBB-BBBB')))

    expect(wrong.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      ...Array<number>(5).fill(404),
      ...Array<number>(3).fill(429),
    ])
    const late = await type(daemon, right)
    expect(late.status).toBe(429)
    expect(late.bytes.toString()).toContain('name="passphrase"')
    expect((await type(daemon, right, {}, { ...ada, passphrase: 'wrong' })).status).toBe(403)
    const found = await type(daemon, right, {}, ada)
    expect(found.status).toBe(200)
    expect((await approve(daemon, right, found)).status).toBe(200)
  })

  it('of a user who has signed in are refused after five wrong ones, too', async () => {
    await using daemon = await testDaemon()
    await addAda(daemon)

    const wrong: number[] = []
    for (let count = 0; count < 7; count++)
      wrong.push((await type(daemon, 'BBBB-BBBB', {}, ada)).status)

    expect(wrong).toEqual([404, 404, 404, 404, 404, 429, 429])
  })

  it('from many addresses are limited to a hundred an hour, and stop no sign-in of others', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_TRUSTED_PROXIES: '127.0.0.1' } })
    await addAda(daemon)
    const client = await cliClient(daemon)
    const [early, late] = await Promise.all([
      initiateDeviceAuthorization(client, { scope: cliScope }),
      initiateDeviceAuthorization(client, { scope: cliScope }),
    ])
    const guess = async (from: number): Promise<number> =>
      (await type(daemon, 'BBBB-BBBB', { 'x-forwarded-for': `203.0.113.${from}` })).status

    for (let from = 0; from < 25; from++) {
      expect(await Promise.all([from, from, from, from].map(guess))).toEqual([404, 404, 404, 404])
    }

    expect(await guess(25)).toBe(429)
    expect((await approveAsOwner(daemon, early.user_code)).status).toBe(200)
    expect((await type(daemon, late.user_code, {}, ada)).status).toBe(200)
    const { access_token: token } = await collectTokens(client, early)
    expect(token).toBeDefined()
  })

  it('of a passphrase lock no user out at an address where they have signed in before', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_TRUSTED_PROXIES: '127.0.0.1' } })
    await addAda(daemon)
    const client = await cliClient(daemon)
    const { user_code: code } = await initiateDeviceAuthorization(client, { scope: cliScope })
    const tryAs = async (email: string, from: string, passphrase = 'wrong'): Promise<number> =>
      (await type(daemon, code, { 'x-forwarded-for': from }, { email, passphrase })).status
    const [home, elsewhere] = ['203.0.113.7', '203.0.113.8']
    expect(await tryAs(ada.email, home, ada.passphrase)).toBe(200)

    const guesses: number[] = []
    for (let count = 0; count < 12; count++) guesses.push(await tryAs(ada.email, elsewhere))
    for (let count = 0; count < 21; count++) await tryAs(`user${count}@example.org`, home)

    expect(guesses).toEqual([...Array<number>(10).fill(403), 429, 429])
    expect(await tryAs('bob@example.org', home)).toBe(429)
    expect(await tryAs(ada.email, home, ada.passphrase)).toBe(200)
    expect(await tryAs(ada.email, elsewhere, ada.passphrase)).toBe(429)
  })

  it('of one address are counted together, despite forged forwarding headers', async () => {
    await using daemon = await testDaemon()
    const guess = async (from: number): Promise<number> => {
      const forged = { 'x-forwarded-for': `203.0.113.${from}`, forwarded: `for=203.0.113.${from}` }
      return (await type(daemon, 'BBBB-BBBB', forged)).status
    }

    const wrong = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(guess))

    expect(wrong.filter((status) => status === 429)).toHaveLength(3)
  })

  it('are not counted if the code is right', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)
    const { user_code: right } = await initiateDeviceAuthorization(client, { scope: cliScope })

    for (let count = 0; count < 7; count++) {
      expect((await type(daemon, right.toLowerCase().replace('-', ' '))).status).toBe(200)
    }
  })

  it('with a forged form are refused', async () => {
    await using daemon = await testDaemon()
    const body = new URLSearchParams({ user_code: 'BBBB-BBBB', ticket: '1.x', decision: 'deny' })

    const reply = await send('POST', `${daemon.origin}/device/approve`, { body })

    expect(reply.status).toBe(403)
  })
})

const ada = { email: 'ada@example.org', passphrase: 'correct horse battery' }

async function addAda(daemon: TestDaemon): Promise<void> {
  const link = await daemon.operate('user add', { email: ada.email })
  const body = new URLSearchParams({ link, passphrase: ada.passphrase })
  await send('POST', `${daemon.origin}/oauth/passphrase`, { body })
}

function type({ origin }: TestDaemon, code: string, headers = {}, who = {}): Promise<Reply> {
  const body = new URLSearchParams({ user_code: code, ...who })
  return send('POST', `${origin}/device`, { body, headers })
}

/** Approves on the page that a right code led to. */
function approve({ origin }: TestDaemon, code: string, { bytes }: Reply): Promise<Reply> {
  const ticket = /name="ticket" value="([^"]+)"/.exec(bytes.toString())?.[1] ?? ''
  const body = new URLSearchParams({ user_code: code, ticket, decision: 'approve', ...ada })
  return send('POST', `${origin}/device/approve`, { body })
}
