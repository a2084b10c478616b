import { initiateDeviceAuthorization } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { cliClient, cliScope } from '../support/sign-in.ts'
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

function type({ origin }: TestDaemon, code: string) {
  return send('POST', `${origin}/device`, { body: new URLSearchParams({ user_code: code }) })
}
