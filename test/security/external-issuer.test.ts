import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../core/index.ts'
import { externalIssuer } from '../../daemon/sign-in/external/external-issuer.ts'
import { IssuerWatch } from '../../daemon/sign-in/external/issuer-watch.ts'
import { coreParts } from '../support/core-parts.ts'
import { send } from '../support/http.ts'
import { freePort } from '../support/free-port.ts'
import { audience, startInstitution, type Institution } from '../support/institution.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

describe("a service with its institution's issuer", () => {
  it('accepts signed tokens, and identifies a person by issuer and subject', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })

    const first = await me(daemon, await institution.mint())
    const again = await me(daemon, await institution.mint({ scope: 'deposit:actions' }))
    const other = await me(daemon, await institution.mint({ sub: 'bob' }))

    expect(first.body).toMatchObject({ scopes: ['deposit:write'], admin: false })
    expect(again.body).toMatchObject({ user: idOf(first), scopes: ['deposit:actions'] })
    expect(idOf(other)).not.toBe(idOf(first))
  })

  it('accepts opaque tokens after asking the issuer', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })
    const token = await institution.mint({ kind: 'opaque' })

    const opaque = await me(daemon, token)

    expect(opaque.body).toMatchObject({ scopes: ['deposit:write'] })
    expect(idOf(opaque)).toBe(idOf(await me(daemon, await institution.mint())))
    const foreign = await institution.mint({ kind: 'opaque', audience: 'https://other.example' })
    expect((await me(daemon, foreign)).status).toBe(401)
    expect((await me(daemon, 'no-such-token')).status).toBe(401)
  })

  it('makes users administrators by the claim that the operator configured', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })
    const claims = { groups: ['staff', 'deposit-admins'] }

    const admin = await me(daemon, await institution.mint({ claims }))

    expect(admin.body).toMatchObject({ admin: true })
    expect((await me(daemon, await institution.mint())).body).toMatchObject({ admin: false })
  })

  it('does not give access to a local account with the same e-mail address', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })
    const local = await daemon.as('ada').get('/me')
    const claims = { email: 'ada@example.org' }

    const external = await me(daemon, await institution.mint({ claims }))

    expect(external.status).toBe(200)
    expect(idOf(external)).not.toBe(idOf(local))
  })

  it.for<[string, (institution: Institution) => Promise<string>]>([
    ['another issuer', ({ mint }) => mint({ forged: { iss: 'https://evil.example' } })],
    ['another audience', ({ mint }) => mint({ forged: { aud: ['https://other.example'] } })],
    ['an expiry in the past', ({ mint }) => mint({ forged: { exp: seconds(-61) } })],
    ['a start in the future', ({ mint }) => mint({ forged: { nbf: seconds(90) } })],
    ['a time of issue in the future', ({ mint }) => mint({ forged: { iat: seconds(90) } })],
    ['no expiry', ({ mint }) => mint({ forged: { exp: null } })],
    ['no signature', async ({ issuer }) => unsigned(issuer)],
    ['the public key as a shared secret', ({ issuer }) => signedWithPublicKey(issuer)],
    ['claims that were changed after signing', async ({ mint }) => tampered(await mint())],
    [
      'a path as the id of its key',
      ({ issuer }) => signedElsewhere(issuer, { kid: '../../../../etc/passwd' }),
    ],
    ['a key in its own header', ({ issuer }) => signedElsewhere(issuer, { jwk: true })],
  ])('refuses a token with %s', async ([, make]) => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })

    const reply = await me(daemon, await make(institution))

    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('fetches no key from an address in a token', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })
    let asked = 0
    await using server = createServer((socket) => {
      asked += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/keys`

    for (const header of [{ jku: url }, { x5u: url }, { kid: url }]) {
      const reply = await me(daemon, await signedElsewhere(institution.issuer, header))
      expect(reply.status).toBe(401)
    }
    expect(asked).toBe(0)
  })

  it('allows clocks to differ by a minute', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })

    const late = await institution.mint({ forged: { exp: seconds(-30) } })

    expect((await me(daemon, late)).status).toBe(200)
  })

  it('names that issuer, and runs none itself', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })

    const path = '/.well-known/oauth-protected-resource'
    const metadata = await send('GET', daemon.origin + path)

    expect(metadata.body).toMatchObject({ authorization_servers: [institution.issuer] })
    expect((await send('POST', `${daemon.origin}/oauth/token`)).status).toBe(404)
    expect((await send('GET', `${daemon.origin}/device`)).status).toBe(404)
  })

  it('reports that its issuer does not answer, and still accepts personal tokens', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`
    const env = { DEPOSIT_ISSUER: issuer, DEPOSIT_ISSUER_AUDIENCE: audience }
    await using daemon = await testDaemon({ env })
    const health = () => send('GET', `${daemon.origin}/health`)

    // The daemon asks the issuer without waiting for a sign-in.
    await expect.poll(health).toMatchObject({ status: 200, body: { status: 'degraded', issuer } })
    const reply = await me(daemon, unsigned(issuer))

    expect(reply.status).toBe(503)
    expect((await daemon.as('ada').get('/me')).status).toBe(200)
    const warned = daemon.warnings().join('')
    expect(warned).toContain('the issuer cannot be asked')
    expect(warned).toContain('ECONNREFUSED')
    expect(daemon.warnings().filter((line) => line.includes('ECONNREFUSED'))).toHaveLength(1)
    const metrics = (await send('GET', `${daemon.origin}/metrics`)).bytes.toString()
    expect(metrics).toContain('deposit_issuer_reachable 0\n')
    expect(metrics).toContain('deposit_degraded 1\n')
    expect(metrics).toMatch(/^deposit_issuer_failures_total [1-9]/m)
  })

  it.for([
    ['another host', (issuer: string) => issuer.replace('127.0.0.1', 'localhost')],
    ['a slash at its end', (issuer: string) => `${issuer}/`],
  ] as const)('warns at its start of an issuer that is configured with %s', async ([, named]) => {
    await using institution = await startInstitution()
    const env = { ...institution.env, DEPOSIT_ISSUER: named(institution.issuer) }
    await using daemon = await testDaemon({ env })

    await expect.poll(() => daemon.warnings().join('')).toContain('the issuer cannot be asked')

    expect(daemon.warnings().join('')).toContain(institution.issuer)
  })

  it('logs why it refuses a token, once a minute for each reason', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })
    const wrong = { audience: 'https://other.example' }
    const orders = [wrong, wrong, { forged: { exp: seconds(-90) } }]

    for (const order of orders) {
      expect((await me(daemon, await institution.mint(order))).status).toBe(401)
    }
    expect((await me(daemon, 'no-such-token')).status).toBe(401)

    const lines = daemon
      .warnings()
      .map((line) => JSON.parse(line) as { reason?: string; msg: string })
    const refusals = lines.filter(({ msg }) => msg === 'refused an access token')
    expect(refusals.map(({ reason }) => reason)).toEqual([
      `its aud is "https://other.example", not ${audience} (DEPOSIT_ISSUER_AUDIENCE)`,
      expect.stringMatching(/exp/),
      'the issuer says that it is not active',
    ])
    expect(await send('GET', `${daemon.origin}/health`)).toMatchObject({ body: { status: 'ok' } })
  })

  it('identifies a program without a subject by its client id, in signed and opaque tokens', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })
    const signed = { forged: { sub: null, client_id: 'deposit-service' } }

    const one = await me(daemon, await institution.mint(signed))
    const other = await me(daemon, await institution.mint({ kind: 'machine' }))

    expect(one.body).toMatchObject({ token: { name: 'deposit-service' } })
    expect(idOf(other)).toBe(idOf(one))
    const namesake = await me(daemon, await institution.mint({ sub: 'deposit-service' }))
    expect(namesake.status).toBe(200)
    expect(idOf(namesake)).not.toBe(idOf(one))
    const neither = await me(daemon, await institution.mint({ forged: { sub: null } }))
    expect(neither.status).toBe(401)
    expect(daemon.warnings().join('')).toContain('neither sub nor client_id')
  })

  it('keeps a user disabled who is disabled while their claim is stored', async () => {
    await using institution = await startInstitution()
    await using cleanUp = new AsyncDisposableStack()
    const { database, clock } = await coreParts(cleanUp)
    let disable = async (): Promise<void> => {}
    const busy: Database = {
      ...database,
      write: async (work) => {
        await disable()
        return database.write(work)
      },
    }
    const network = '127.0.0.1'
    const settings = {
      issuer: institution.issuer,
      audience,
      roleClaims: [{ role: 'administrator' as const, name: 'groups', value: 'deposit-admins' }],
    }
    using watch = new IssuerWatch(institution.issuer, pino({ level: 'silent' }))
    const issuer = externalIssuer({ database: busy, clock, settings, resource: () => '', watch })
    const { user } = (await issuer.identify(await institution.mint(), network)) ?? {}
    if (user === undefined) throw new Error('the token was refused')
    disable = () =>
      database.write(async ({ accounts }) => {
        const account = await accounts.find(user)
        if (account) await accounts.update({ ...account, disabled: true })
      })
    await issuer.identify(
      await institution.mint({ claims: { groups: ['deposit-admins'] } }),
      network,
    )

    expect(await database.read.accounts.find(user)).toMatchObject({
      disabled: true,
      claimedAdmin: true,
    })
  })

  it('lists administrators by claim as such, and gives out no passphrase links', async () => {
    await using institution = await startInstitution()
    await using daemon = await testDaemon({ env: institution.env })
    const claims = { groups: ['deposit-admins'], name: 'Ada Lovelace', email: 'ada@uni.example' }
    await me(daemon, await institution.mint({ claims }))
    await me(daemon, await institution.mint({ sub: 'bob' }))

    const users = (await daemon.operateAll('user list')).map((line) => line.split('\t').slice(1))

    expect(users).toEqual([
      ['ada@uni.example', 'administrator by claim', 'active', 'Ada Lovelace'],
      [expect.stringContaining('@127.0.0.1'), 'user', 'active', '-'],
    ])
    expect(await daemon.operateAll('user add', { email: 'robot@uni.example' })).toEqual([])
    const link = daemon.operate('user link', { email: 'robot@uni.example' })
    await expect(link).rejects.toThrow(/no passphrase to set here/)
  })
})

function me({ url }: TestDaemon, token: string) {
  return send('GET', `${url}/me`, { headers: { authorization: `Bearer ${token}` } })
}

function idOf({ body }: { readonly body: unknown }): string {
  return (body as { readonly user: string }).user
}

function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1000) + fromNow
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function claimsOf(issuer: string) {
  return { iss: issuer, sub: 'ada', aud: audience, exp: seconds(60), scope: 'deposit:write' }
}

function unsigned(issuer: string): string {
  return `${encode({ alg: 'none' })}.${encode(claimsOf(issuer))}.`
}

async function signedWithPublicKey(issuer: string): Promise<string> {
  const keys = await (await fetch(`${issuer}/jwks`)).text()
  const content = `${encode({ alg: 'HS256', kid: 'one' })}.${encode(claimsOf(issuer))}`
  return `${content}.${createHmac('sha256', keys).update(content).digest('base64url')}`
}

/** Signed with our own key, under a header that says where to find it. */
async function signedElsewhere(issuer: string, header: object): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = await exportJWK(publicKey)
  const token = new SignJWT(claimsOf(issuer)).setProtectedHeader({
    alg: 'RS256',
    kid: 'ours',
    ...('jwk' in header ? { jwk } : header),
  })
  return token.sign(privateKey)
}

function tampered(token: string): string {
  const [head = '', , signature = ''] = token.split('.')
  return `${head}.${encode({ sub: 'root', aud: audience })}.${signature}`
}
