import { readFile } from 'node:fs/promises'
import {
  initiateDeviceAuthorization,
  refreshTokenGrant,
  tokenRevocation,
  type DeviceAuthorizationResponse,
} from 'openid-client'
import { describe, expect, it } from 'vitest'
import { proveOwner } from '../../core/contract/owner-proof.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { bodyOf, send } from '../support/http.ts'
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
    expect(scope?.split(' ').sort()).toEqual(cliScope.split(' ').sort())
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

  it('gives its tokens once; a device code used again ends the sign-in', async () => {
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

  it('approves no code twice, and no unknown code', async () => {
    await using daemon = await testDaemon()
    const client = await cliClient(daemon)
    const { user_code: code } = await initiateDeviceAuthorization(client, { scope: cliScope })
    await approveAsOwner(daemon, code)

    expect((await approveAsOwner(daemon, code)).status).toBe(404)
    expect((await approveAsOwner(daemon, 'BBBB-BBBB')).status).toBe(404)
  })

  it('limits how many sign-ins one network begins, but not other networks or the owner', async () => {
    const env = {
      DEPOSIT_PUBLIC_URL: 'https://deposit.example.org',
      DEPOSIT_TRUSTED_PROXIES: '127.0.0.1',
    }
    await using daemon = await testDaemon({ env })
    const { host } = new URL(daemon.origin)
    const key = (await readFile(homeAt(daemon.home).ownerKey, 'utf8')).trim()
    const start = (from: string, headers = {}) =>
      send('POST', `${daemon.origin}/oauth/device`, {
        body: new URLSearchParams({ client_id: 'deposit-cli', scope: cliScope }),
        headers: { 'x-forwarded-for': from, ...headers },
      })
    // The limit is 120 a minute, and a new minute may begin once in between.
    let refused = await start('2001:db8::1')
    for (let count = 2; count <= 240 && refused.status === 200; count++) {
      refused = await start(`2001:db8::${count}`)
      if (refused.status !== 200) expect(count).toBeGreaterThan(120)
    }

    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } })
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await start('2001:db8:0:1::1')).status).toBe(200)
    const proof = proveOwner(key, { method: 'POST', path: '/oauth/device', host })
    expect((await start('2001:db8::1', { 'owner-proof': proof })).status).toBe(200)
    const other = proveOwner('another key', { method: 'POST', path: '/oauth/device', host })
    expect((await start('2001:db8::1', { 'owner-proof': other })).status).toBe(429)
  })

  it('treats an empty secret as no secret for a program without one', async () => {
    await using daemon = await testDaemon()
    const basic = (id: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:`).toString('base64')}`,
    })
    const ask = (path: string, fields: Readonly<Record<string, string>>, id = 'deposit-cli') =>
      send('POST', daemon.origin + path, { body: new URLSearchParams(fields), headers: basic(id) })

    const begun = await ask('/oauth/device', { scope: cliScope })

    const { user_code: user, device_code: code } = bodyOf<DeviceAuthorizationResponse>(begun, 200)
    await approveAsOwner(daemon, user)
    const fields = { grant_type: deviceGrant, device_code: code, client_id: 'deposit-cli' }
    expect((await ask('/oauth/token', fields)).body).toMatchObject({ token_type: 'Bearer' })
    const long = await ask('/oauth/device', {
      client_id: 'deposit-cli',
      scope: 'x'.repeat(900_000),
    })
    expect(long.status).toBe(400)
    const another = await ask('/oauth/device', { scope: cliScope, client_id: 'other' })
    expect(another.status).toBe(401)
  })
})

describe('refresh tokens', () => {
  it('work once, and end the sign-in when used again', async () => {
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
    expect(narrow.scope?.split(' ').sort()).toEqual(['deposit:write', 'openid'])
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
