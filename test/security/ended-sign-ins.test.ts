import { userInfo } from 'node:os'
import { initiateDeviceAuthorization, refreshTokenGrant, tokenRevocation } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { bodyOf, send } from '../support/http.ts'
import { asOwner } from '../support/owner.ts'
import {
  approveAsOwner,
  cliClient,
  cliScope,
  collectTokens,
  signInByDevice,
  type SignIn,
} from '../support/sign-in.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { trailOf } from '../support/trail.ts'

/** The user for whom {@link signInByDevice} signs in. */
const email = `${userInfo().username}@localhost`

const ended = { access: 401, refresh: 'invalid_grant' }
const goesOn = { access: 200, refresh: 'granted' }

describe('setting a passphrase', () => {
  it('ends all sign-ins of the user, and says so; personal tokens and those of others stay', async () => {
    await using daemon = await testDaemon()
    const [stolen, other] = [await signInByDevice(daemon), await signInByDevice(daemon)]
    const personal = await daemon.operate('token create', { user: email, scope: '' })
    const client = await cliClient(daemon)
    const device = await initiateDeviceAuthorization(client, { scope: cliScope })
    await approveAsOwner(daemon, device.user_code)
    const link = await daemon.operate('user link', { email })

    const page = await setPassphrase(daemon, link)

    expect(page).toContain('Wherever you were signed in before, you no longer are.')
    expect(await stateOf(daemon, stolen)).toEqual(ended)
    expect(await stateOf(daemon, other)).toEqual(ended)
    await expect(collectTokens(client, device)).rejects.toMatchObject({ error: 'invalid_grant' })
    expect(await statusWith(daemon, personal)).toBe(200)
    // The link is remembered as used, and a new sign-in lasts.
    const again = await setPassphrase(daemon, link)
    expect(again).toContain('already been used')
    expect(await stateOf(daemon, await signInByDevice(daemon))).toEqual(goesOn)
  })

  it('ends no sign-in of another user', async () => {
    await using daemon = await testDaemon()
    const signIn = await signInByDevice(daemon)

    await setPassphrase(daemon, await daemon.operate('user add', { email: 'ada@example.org' }))

    expect(await stateOf(daemon, signIn)).toEqual(goesOn)
  })
})

describe('changing a passphrase', () => {
  const before = 'correct horse battery'
  const after = 'another horse, another battery'

  it('ends all sign-ins of the user, and the one before is good no more', async () => {
    await using daemon = await testDaemon()
    const signIn = await signInByDevice(daemon)
    await setPassphrase(daemon, await daemon.operate('user link', { email }))
    const later = await signInByDevice(daemon)

    const page = await changePassphrase(daemon, before, after)

    expect([page.status, page.text]).toEqual([200, expect.stringContaining('passphrase is set')])
    expect(await stateOf(daemon, signIn)).toEqual(ended)
    expect(await stateOf(daemon, later)).toEqual(ended)
    expect((await changePassphrase(daemon, before, before)).status).toBe(403)
    expect((await changePassphrase(daemon, after, before)).status).toBe(200)
  })

  it('is for those who know the one before, whose guesses are counted, and takes no short one', async () => {
    await using daemon = await testDaemon()
    await setPassphrase(daemon, await daemon.operate('user add', { email }))

    const short = await changePassphrase(daemon, before, 'short')
    const wrong = await changePassphrase(daemon, 'not this one, surely', after)

    expect([short.status, short.text]).toEqual([400, expect.stringContaining('12 to 256')])
    expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining('is wrong')])
    for (let guess = 0; guess < 10; guess += 1)
      await changePassphrase(daemon, `guess number ${guess}`, after)
    expect((await changePassphrase(daemon, before, after)).status).toBe(429)
  })
})

describe('disabling a user', () => {
  it('ends their sign-ins for good; personal tokens and a new sign-in are good once they are enabled', async () => {
    await using daemon = await testDaemon()
    const signIn = await signInByDevice(daemon)
    const personal = await daemon.operate('token create', { user: email, scope: '' })

    const disabled = await operateHere(daemon.home, ['user', 'disable', email])
    expect(disabled.stderr).toContain('their sign-ins have ended')
    expect(await statusWith(daemon, personal)).toBe(401)
    const enabled = await operateHere(daemon.home, ['user', 'enable', email])

    expect(enabled.stderr).toContain('They sign in again')
    expect(await stateOf(daemon, signIn)).toEqual(ended)
    expect(await statusWith(daemon, personal)).toBe(200)
    expect(await stateOf(daemon, await signInByDevice(daemon))).toEqual(goesOn)
  })

  it('ends them by the pages of an administrator too', async () => {
    await using daemon = await testDaemon()
    const signIn = await signInByDevice(daemon)
    const boss = daemon.as('boss', { admin: true })
    const me = await send('GET', `${daemon.url}/me`, withToken(signIn.tokens.access_token))
    const path = `/admin/users/${(me.body as { readonly user: string }).user}`

    for (const disabled of [true, false])
      expect((await boss.send('PATCH', path, { json: { disabled } })).status).toBe(200)

    expect(await stateOf(daemon, signIn)).toEqual(ended)
  })
})

describe('depositd user sign-out', () => {
  it('ends all sign-ins of a user, and leaves personal tokens; the audit trail has it', async () => {
    await using daemon = await testDaemon()
    const signIn = await signInByDevice(daemon)
    const personal = await daemon.operate('token create', { user: email, scope: '' })

    const out = await operateHere(daemon.home, ['user', 'sign-out', email, '--json'])

    expect(out.status).toBe(0)
    expect(JSON.parse(out.stdout)).toEqual({ email, signed_out: true })
    expect(await stateOf(daemon, signIn)).toEqual(ended)
    expect(await statusWith(daemon, personal)).toBe(200)
    const trail = (await trailOf(daemon)).map(({ what, object }) => [what, object])
    expect(trail).toContainEqual([
      expect.stringContaining('depositd user sign-out'),
      expect.stringMatching(/^user:/),
    ])
  })

  it('names the personal tokens that stay, and refuses an unknown user', async () => {
    await using daemon = await testDaemon()
    await signInByDevice(daemon)

    const out = await operateHere(daemon.home, ['user', 'sign-out', email])
    const unknown = await operateHere(daemon.home, ['user', 'sign-out', 'nobody@example.org'])

    expect(out.stderr).toContain(`Ended all sign-ins of ${email}.`)
    expect(out.stderr).toContain('depositd token list')
    expect(unknown.status).toBe(1)
    expect(unknown.stderr).toContain('There is no user nobody@example.org')
  })
})

describe('/sign-ins/', () => {
  it('lists where a user is signed in, and ends it everywhere', async () => {
    await using daemon = await testDaemon()
    const [one, two] = [await signInByDevice(daemon), await signInByDevice(daemon)]
    const personal = await daemon.operate('token create', { user: email, scope: '' })
    const eve = daemon.as('eve')
    const as = withToken(one.tokens.access_token)
    const path = `${daemon.url}/sign-ins/`

    const listed = bodyOf<readonly Listed[]>(await send('GET', path, as), 200)
    expect(listed.map(({ program }) => program)).toEqual(['deposit-cli', 'deposit-cli'])
    for (const { since, until } of listed) expect(until > (since ?? '')).toBe(true)
    expect(bodyOf(await eve.get('/sign-ins/'), 200)).toEqual([])
    // A token that only reads ends nothing, and nobody ends the sign-ins of others.
    expect((await send('DELETE', path, withToken(personal))).status).toBe(403)
    expect((await eve.delete('/sign-ins/')).status).toBe(204)
    expect(bodyOf(await send('GET', path, withToken(personal)), 200)).toHaveLength(2)

    expect((await send('DELETE', path, as)).status).toBe(204)

    expect(await stateOf(daemon, one)).toEqual(ended)
    expect(await stateOf(daemon, two)).toEqual(ended)
    expect(bodyOf(await send('GET', path, withToken(personal)), 200)).toEqual([])
    const trail = (await trailOf(daemon)).map(({ what, object }) => [what, object])
    expect(trail).toContainEqual(['DELETE /api/sign-ins', expect.stringMatching(/^user:/)])
  })
})

describe('/sign-ins/ID', () => {
  const listed = async (daemon: TestDaemon, token: string) =>
    bodyOf<readonly Listed[]>(await send('GET', `${daemon.url}/sign-ins/`, withToken(token)), 200)
  const end = async (daemon: TestDaemon, token: string, id: string) =>
    (await send('DELETE', `${daemon.url}/sign-ins/${id}`, withToken(token))).status

  it('ends one sign-in of the user, and leaves the others', async () => {
    await using daemon = await testDaemon()
    const [one, two] = [await signInByDevice(daemon), await signInByDevice(daemon)]
    const personal = await daemon.operate('token create', { user: email, scope: '' })
    const here = await listed(daemon, one.tokens.access_token)
    expect(here.filter(({ current }) => current)).toHaveLength(1)
    const other = here.find(({ current }) => !current)?.id ?? ''
    const own = here.find(({ current }) => current)?.id ?? ''

    // Nobody ends those of others, and a token that only reads ends none.
    const eve = daemon.as('eve')
    for (const id of [other, 'none', encodeURIComponent('x/y')])
      expect((await eve.delete(`/sign-ins/${id}`)).status).toBe(404)
    expect(await end(daemon, personal, other)).toBe(403)
    expect((await daemon.visitor.delete(`/sign-ins/${other}`)).status).toBe(401)
    expect(await listed(daemon, personal)).toHaveLength(2)

    expect(await end(daemon, one.tokens.access_token, other)).toBe(204)
    expect(await stateOf(daemon, two)).toEqual(ended)
    expect(await end(daemon, one.tokens.access_token, other)).toBe(404)
    expect(await listed(daemon, personal)).toMatchObject([{ id: own }])
    const trail = (await trailOf(daemon)).map(({ what, object }) => [what, object])
    expect(trail).toContainEqual(['DELETE /api/sign-ins/:id', `sign-in:${other}`])
    expect(await statusWith(daemon, one.tokens.access_token)).toBe(200)

    // One ends itself.
    expect(await end(daemon, one.tokens.access_token, own)).toBe(204)
    expect(await stateOf(daemon, one)).toEqual(ended)
    expect(await statusWith(daemon, personal)).toBe(200)
  })

  it('ends itself without the right to change anything', async () => {
    await using daemon = await testDaemon()
    const reader = await signInByDevice(daemon, 'openid offline_access')
    const [own] = await listed(daemon, reader.tokens.access_token)
    expect(own?.current).toBe(true)
    expect(await end(daemon, reader.tokens.access_token, own?.id ?? '')).toBe(204)
    expect(await stateOf(daemon, reader)).toEqual(ended)
  })

  it('ends a browser that was signed in by a ticket', async () => {
    await using daemon = await testDaemon()
    const path = '/local/ticket'
    const headers = await asOwner(daemon.origin, daemon.home, path)
    const made = await send('POST', daemon.origin + path, { headers })
    const { ticket } = bodyOf<{ readonly ticket: string }>(made, 201)
    const arrived = await send('POST', `${daemon.origin}/oauth/ticket`, { json: { ticket } })
    const token = (arrived.body as { readonly access_token: string }).access_token
    const [own] = await listed(daemon, token)
    expect(own?.current).toBe(true)
    const other = await signInByDevice(daemon)
    expect(await end(daemon, other.tokens.access_token, own?.id ?? '')).toBe(204)
    expect(await statusWith(daemon, token)).toBe(401)
    expect(await listed(daemon, other.tokens.access_token)).toHaveLength(1)
  })
})

describe('a sign-in that ends at the moment it is renewed', () => {
  it('leaves no token behind', async () => {
    await using daemon = await testDaemon()
    for (let round = 0; round < 10; round += 1) {
      const { client, tokens } = await signInByDevice(daemon)
      const refresh = tokens.refresh_token ?? ''
      const [renewed] = await Promise.all([
        refreshTokenGrant(client, refresh).catch(() => undefined),
        tokenRevocation(client, refresh),
      ])
      for (const token of [tokens.access_token, renewed?.access_token ?? ''])
        expect(await statusWith(daemon, token)).toBe(401)
    }
  })
})

interface Listed {
  readonly id: string
  readonly current?: true
  readonly program: string
  readonly since?: string
  readonly until: string
}

async function setPassphrase({ origin }: TestDaemon, link: string): Promise<string> {
  const secret = new URL(link).hash.slice(1)
  const body = new URLSearchParams({ link: secret, passphrase: 'correct horse battery' })
  return (await send('POST', `${origin}/oauth/passphrase`, { body })).bytes.toString()
}

async function changePassphrase({ origin }: TestDaemon, passphrase: string, changed: string) {
  const body = new URLSearchParams({ email, passphrase, new_passphrase: changed })
  const { status, bytes } = await send('POST', `${origin}/oauth/passphrase/change`, { body })
  return { status, text: bytes.toString() }
}

/** Whether both tokens of a sign-in are good still. */
async function stateOf(daemon: TestDaemon, { client, tokens }: SignIn) {
  const refresh = refreshTokenGrant(client, tokens.refresh_token ?? '').then(
    () => 'granted',
    (error: unknown) => (error as { readonly error?: string }).error,
  )
  return { access: await statusWith(daemon, tokens.access_token), refresh: await refresh }
}

async function statusWith({ url }: TestDaemon, token: string): Promise<number> {
  return (await send('GET', `${url}/me`, withToken(token))).status
}

const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
