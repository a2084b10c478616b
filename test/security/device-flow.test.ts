import { initiateDeviceAuthorization, refreshTokenGrant, tokenRevocation } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { approveAsOwner, cliClient, cliScope, signInByDevice } from '../support/sign-in.ts'
import { testDaemon } from '../support/test-daemon.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

describe('the device flow', () => {
  it('signs in the owner of the machine with a code they approved', async () => {
    await using daemon = await testDaemon()

    const {
      tokens: { access_token: token, scope },
    } = await signInByDevice(daemon)

    expect(token).toMatch(/^dep_at_/)
    expect(scope?.split(' ').sort()).toEqual(['deposit:actions', 'deposit:write'])
    const me = await meOf(daemon.url, token)
    expect(me.body).toMatchObject({ scopes: ['deposit:write', 'deposit:actions'], admin: false })
  })

  it('grants no more than what was asked for', async () => {
    await using daemon = await testDaemon()

    const { tokens } = await signInByDevice(daemon, 'openid offline_access')

    expect((await meOf(daemon.url, tokens.access_token)).body).toMatchObject({ scopes: [] })
  })

  it('names interval and lifetime, and addresses below the issuer', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)

    const device = await initiateDeviceAuthorization(client, { scope: cliScope })

    expect(device).toMatchObject({ interval: 5, expires_in: 600 })
    expect(device.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
    expect(device.verification_uri).toBe(`${daemon.origin}/device`)
  })

  it('tells a device that asks too often to slow down', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)
    const { device_code: code } = await initiateDeviceAuthorization(client, { scope: cliScope })

    const answers = [await poll(daemon.origin, code), await poll(daemon.origin, code)]

    expect(answers.map(({ body }) => (body as { error: string }).error)).toEqual([
      'authorization_pending',
      'slow_down',
    ])
  })

  it('gives its tokens once: a device code that comes again ends the sign-in', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)
    const device = await initiateDeviceAuthorization(client, { scope: cliScope })
    await approveAsOwner(daemon, device.user_code)
    const first = await poll(daemon.origin, device.device_code)

    const second = await poll(daemon.origin, device.device_code)

    expect(second).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const { access_token: token } = first.body as { access_token: string }
    expect((await meOf(daemon.url, token)).status).toBe(401)
  })

  it('approves no code twice, and none that does not wait', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)
    const { user_code: code } = await initiateDeviceAuthorization(client, { scope: cliScope })
    await approveAsOwner(daemon, code)

    expect((await approveAsOwner(daemon, code)).status).toBe(404)
    expect((await approveAsOwner(daemon, 'BBBB-BBBB')).status).toBe(404)
  })

  it('bounds how many codes wait for approval', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)
    const start = () => initiateDeviceAuthorization(client, { scope: cliScope })
    for (let count = 0; count < 10; count++) await start()

    const refused = start()

    await expect(refused).rejects.toMatchObject({ status: 429 })
  })
})

describe('refresh tokens', () => {
  it('are good for one use, and end the sign-in when they come again', async () => {
    await using daemon = await testDaemon()
    const { client, tokens } = await signInByDevice(daemon)
    const { refresh_token: first = '' } = tokens
    const renewed = await refreshTokenGrant(client, first)

    await expect(refreshTokenGrant(client, first)).rejects.toMatchObject({ error: 'invalid_grant' })

    expect((await meOf(daemon.url, renewed.access_token)).status).toBe(401)
    const next = refreshTokenGrant(client, renewed.refresh_token ?? '')
    await expect(next).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('can be narrowed, never widened', async () => {
    await using daemon = await testDaemon()
    const { client, tokens } = await signInByDevice(daemon)
    const { refresh_token: token = '' } = tokens

    const narrow = await refreshTokenGrant(client, token, { scope: 'openid deposit:write' })

    const me = await meOf(daemon.url, narrow.access_token)
    expect(me.body).toMatchObject({ scopes: ['deposit:write'] })
  })

  it('end the access tokens of their sign-in when they are revoked', async () => {
    await using daemon = await testDaemon()
    const { client, tokens } = await signInByDevice(daemon)
    const { access_token: token, refresh_token: refresh = '' } = tokens

    await tokenRevocation(client, refresh)

    expect((await meOf(daemon.url, token)).status).toBe(401)
  })
})

function meOf(api: string, token: string) {
  return send('GET', `${api}/me`, { headers: { authorization: `Bearer ${token}` } })
}

function poll(origin: string, code: string) {
  const form = new URLSearchParams({
    grant_type: deviceGrant,
    device_code: code,
    client_id: 'deposit-cli',
  })
  return send('POST', `${origin}/oauth/token`, { body: form })
}
