import { initiateDeviceAuthorization } from 'openid-client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { send, type Reply } from '../support/http.ts'
import { cliClient, cliScope } from '../support/sign-in.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

afterEach(() => {
  vi.useRealTimers()
})

describe('the page where a device is approved', () => {
  it('shows the code, the program, its address and its scopes, without scripts', async () => {
    await using daemon = await testDaemon()
    const { user_code: code } = await start(daemon, 'openid deposit:write')

    const reply = await type(daemon, code)
    const page = reply.bytes.toString()

    expect(page).toContain(`<p class="code-shown">${code}</p>`)
    expect(page).toContain('<dd>deposit (command line)</dd>')
    expect(page).toContain('<dd>127.0.0.1</dd>')
    expect(page).toContain('Create and change drafts')
    expect(page).not.toContain('Publish deposits')
    expect(page).not.toMatch(/<script|javascript:|onload/)
  })

  it.each(['GET', 'POST'])(
    'cannot be framed or cached, and loads no script (%s)',
    async (method) => {
      await using daemon = await testDaemon()
      const { user_code: code } = await start(daemon)

      const { headers } = method === 'GET' ? await show(daemon, code) : await type(daemon, code)

      const policy = headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("form-action 'self'")
      expect(policy).not.toContain('script-src')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('set-cookie')).toBeNull()
    },
  )

  it('approves nothing when shown, or for a code without the ticket of its form', async () => {
    await using daemon = await testDaemon()
    const { user_code: code, device_code: device } = await start(daemon)

    await show(daemon, code)
    await type(daemon, code)
    const query = `user_code=${code}&decision=approve`
    await send('GET', `${daemon.origin}/device/approve?${query}`)
    const bare = await send('POST', `${daemon.origin}/device/approve`, {
      body: new URLSearchParams(query),
    })

    expect(bare.status).toBe(403)
    expect(errorOf(await poll(daemon, device))).toBe('authorization_pending')
  })

  it('denies nothing without the ticket of its form', async () => {
    await using daemon = await testDaemon()
    const { user_code: code, device_code: device } = await start(daemon)

    const bare = await send('POST', `${daemon.origin}/device/approve`, {
      body: new URLSearchParams({ user_code: code, decision: 'deny' }),
    })

    expect(bare.status).toBe(403)
    expect(errorOf(await poll(daemon, device))).toBe('authorization_pending')
  })

  it('shows the user agent of a program as text, never as markup', async () => {
    await using daemon = await testDaemon()
    const started = await send('POST', `${daemon.origin}/oauth/device`, {
      body: new URLSearchParams({ client_id: 'deposit-cli', scope: cliScope }),
      headers: { 'user-agent': '<script>alert(1)</script>' },
    })

    const reply = await type(daemon, (started.body as { readonly user_code: string }).user_code)

    expect(reply.bytes.toString()).toContain('&lt;script&gt;')
    expect(reply.bytes.toString()).not.toContain('<script>')
  })
})

describe('a device that is not approved', () => {
  it('learns after ten minutes that its code has expired, and cannot be approved then', async () => {
    await using daemon = await testDaemon()
    const before = Date.now()
    const { user_code: code, device_code: device } = await start(daemon)
    const after = Date.now()

    vi.useFakeTimers({ toFake: ['Date'], now: before + 599_000 })
    expect(errorOf(await poll(daemon, device))).toBe('authorization_pending')
    vi.setSystemTime(after + 601_000)

    expect(errorOf(await poll(daemon, device))).toBe('expired_token')
    expect((await type(daemon, code)).status).toBe(404)
  })

  it('is accepted even if a hundred others wait', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_TRUSTED_PROXIES: '127.0.0.1' } })
    const ask = (from: number): Promise<Reply> =>
      send('POST', `${daemon.origin}/oauth/device`, {
        body: new URLSearchParams({ client_id: 'deposit-cli', scope: cliScope }),
        headers: { 'x-forwarded-for': `203.0.113.${Math.floor(from / 10)}` },
      })
    for (let asked = 0; asked < 100; asked += 1) expect((await ask(asked)).status).toBe(200)

    const next = await ask(100)

    expect(next.status).toBe(200)
    const { user_code: code } = next.body as { readonly user_code: string }
    expect((await type(daemon, code)).status).toBe(200)
  })
})

async function start(daemon: TestDaemon, scope: string = cliScope) {
  return initiateDeviceAuthorization(await cliClient(daemon), { scope })
}

function show({ origin }: TestDaemon, code: string): Promise<Reply> {
  return send('GET', `${origin}/device?user_code=${code}`)
}

function type({ origin }: TestDaemon, code: string): Promise<Reply> {
  return send('POST', `${origin}/device`, { body: new URLSearchParams({ user_code: code }) })
}

function poll({ origin }: TestDaemon, code: string): Promise<Reply> {
  const body = new URLSearchParams({
    grant_type: deviceGrant,
    device_code: code,
    client_id: 'deposit-cli',
  })
  return send('POST', `${origin}/oauth/token`, { body })
}

function errorOf({ body }: Reply): string {
  return (body as { readonly error: string }).error
}
