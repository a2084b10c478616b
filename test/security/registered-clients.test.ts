import { afterAll, describe, expect, it } from 'vitest'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  discovery,
  fetchUserInfo,
  initiateDeviceAuthorization,
  None,
  refreshTokenGrant,
  tokenIntrospection,
  type Configuration,
  type TokenEndpointResponse,
} from 'openid-client'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { approveAsOwner, collectTokens, signInByDevice } from '../support/sign-in.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

const passphrase = 'correct horse battery'
const notebook = 'https://notebook.example.org/callback'

/** Ada, who has chosen her passphrase. */
const ada = (async () => {
  const named = { email: 'ada@example.org', name: 'Ada Lovelace' }
  const link = await daemon.operate('user add', named)
  const body = new URLSearchParams({ link, passphrase })
  await send('POST', `${daemon.origin}/oauth/passphrase`, { body })
})()

describe('a third-party program that the operator has registered', () => {
  it('signs a person in with a browser, learns who they are, and acts within its scopes', async () => {
    const { client, id } = await register({
      'redirect-uri': notebook,
      scope: 'deposit:write',
    })

    const { tokens, page } = await signIn(client, notebook, {
      scope: 'openid email profile offline_access deposit:write deposit:actions',
    })

    expect(page).toContain('Sign in to notebook')
    expect(page).toContain('Know your e-mail address')
    expect(page).not.toContain('Publish deposits')
    expect(tokens.scope?.split(' ').sort()).toEqual(
      ['deposit:write', 'email', 'offline_access', 'openid', 'profile'].sort(),
    )
    const info = await fetchUserInfo(client, tokens.access_token, tokens.claims()?.sub ?? '')
    expect(info).toMatchObject({ email: 'ada@example.org', name: 'Ada Lovelace' })
    expect(await whoIs(tokens.access_token)).toMatchObject({
      body: { user: info.sub, scopes: ['deposit:write'], token: { name: id } },
    })
    const renewed = await refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect(await fetchUserInfo(client, renewed.access_token, info.sub)).toEqual(info)
  })

  it('makes no token that outlives the one it was given', async () => {
    const { client } = await register({ 'redirect-uri': notebook, scope: 'deposit:write' })
    const { tokens } = await signIn(client, notebook, { scope: 'openid deposit:write' })
    const headers = { authorization: `Bearer ${tokens.access_token}` }

    const made = await send('POST', `${daemon.url}/tokens/`, {
      headers,
      json: { scope: 'deposit:write' },
    })

    const { expires } = bodyOf<{ readonly expires: string }>(made, 201)
    expect(Date.parse(expires)).toBeLessThanOrEqual(Date.now() + 3_600_000)
  })

  it('learns no more about a person than its scopes allow', async () => {
    const { client } = await register({ 'redirect-uri': notebook })
    const { tokens } = await signIn(client, notebook, { scope: 'openid' })

    const info = await fetchUserInfo(client, tokens.access_token, tokens.claims()?.sub ?? '')

    expect(Object.keys(info)).toEqual(['sub'])
    const personal = await daemon.as('bob').get(`${daemon.origin}/oauth/userinfo`)
    expect(personal.status).toBe(401)
    expect((await send('GET', `${daemon.origin}/oauth/userinfo`)).status).toBe(401)
  })

  it('may have a secret, and is refused with a wrong one', async () => {
    const { client, id } = await register({ 'redirect-uri': notebook, secret: 'true' })
    const { tokens } = await signIn(client, notebook, { scope: 'openid' })
    expect(tokens.access_token).toMatch(/^dep_at_/)

    const guessing = await asClient(id, ClientSecretBasic('dep_cs_wrong'))

    const refused = signIn(guessing, notebook, { scope: 'openid' })
    await expect(refused).rejects.toMatchObject({ status: 401 })
  })

  it('signs a person in with a code that they type', async () => {
    const { client } = await register({ device: 'true', scope: 'deposit:write' })
    const device = await initiateDeviceAuthorization(client, { scope: 'openid deposit:write' })
    await approveAsOwner(daemon, device.user_code)

    const tokens = await collectTokens(client, device)

    expect(await whoIs(tokens.access_token)).toMatchObject({ body: { scopes: ['deposit:write'] } })
    const { client: other } = await register({ 'redirect-uri': notebook })
    const begun = initiateDeviceAuthorization(other, { scope: 'openid' })
    await expect(begun).rejects.toMatchObject({ error: 'invalid_request' })
  })

  it('may begin a sign-in with a link on its own site, unlike our pages', async () => {
    const { id } = await register({ 'redirect-uri': notebook })
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    const begin = async (client_id: string, redirect_uri: string) => {
      const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
      const asked = { client_id, redirect_uri, response_type: 'code', scope: 'openid' }
      const query = new URLSearchParams({ ...asked, ...challenge }).toString()
      const { host } = new URL(daemon.origin)
      const all = { host, connection: 'close', ...headers }
      return rawRequest(daemon.origin, head(`GET /oauth/auth?${query}`, all))
    }

    const own = await begin('deposit-pages', `${daemon.origin}/deposit/signed-in`)

    expect((await begin(id, notebook)).status).toBe(303)
    expect(own.status).toBe(403)
    expect(own.text).toContain('cross_origin')
    expect((await begin(id, 'https://evil.example/callback')).status).toBe(400)
  })

  it('is refused with all its tokens once it is removed', async () => {
    const { client, id } = await register({ 'redirect-uri': notebook })
    const { tokens } = await signIn(client, notebook, { scope: 'openid offline_access' })
    expect((await whoIs(tokens.access_token)).status).toBe(200)
    expect((await daemon.operateAll('client list')).join('\n')).toContain(
      `${id}\tnotebook\t-\tread`,
    )

    await daemon.operate('client remove', { id })

    expect((await whoIs(tokens.access_token)).status).toBe(401)
    const renewed = refreshTokenGrant(client, tokens.refresh_token ?? '')
    await expect(renewed).rejects.toMatchObject({ error: 'invalid_client' })
  })

  it.each([
    ['no options', {}],
    ['plain http', { 'redirect-uri': 'http://notebook.example.org/callback' }],
    ['a fragment', { 'redirect-uri': 'https://notebook.example.org/#callback' }],
    ['a wildcard', { 'redirect-uri': 'https://*.example/cb' }],
    ['a javascript: URL', { 'redirect-uri': 'javascript:alert(1)' }],
  ])('is not registered with %s', async (_, options) => {
    await expect(register(options)).rejects.toThrow()
  })
})

describe('a resource server that the operator has registered', () => {
  it('learns the client and scopes of any token while it is valid', async () => {
    await ada
    const { client: server } = await register({ introspect: 'true' })
    const { tokens } = await signInByDevice(daemon, 'openid deposit:write')
    const options = { user: 'ada@example.org', scope: 'deposit:write' }
    const personal = await daemon.operate('token create', options)

    const facts = await tokenIntrospection(server, tokens.access_token)
    const own = await tokenIntrospection(server, personal)

    expect(facts).toMatchObject({ active: true, client_id: 'deposit-cli', iss: daemon.origin })
    expect(facts.scope?.split(' ').sort()).toEqual(['deposit:write', 'openid'])
    expect(own).toMatchObject({ active: true, scope: 'deposit:write', aud: daemon.url })
    expect(await tokenIntrospection(server, 'dep_pt_none')).toEqual({ active: false })
    const headers = { authorization: `Bearer ${personal}` }
    const made = await send('POST', `${daemon.url}/deposits/`, { headers, json: {} })
    const { id: deposit } = bodyOf<{ readonly id: string }>(made, 201)
    const asked = { name: 'partner', scope: 'deposit:write', deposit }
    const given = await send('POST', `${daemon.url}/tokens`, { headers, json: asked })
    const { token: bound } = bodyOf<{ readonly token: string }>(given, 201)
    expect(await tokenIntrospection(server, bound)).toEqual({ active: false })
    const { client: program, id } = await register({ 'redirect-uri': notebook })
    const { tokens: adas } = await signIn(program, notebook, { scope: 'openid' })
    await daemon.operate('user disable', { email: 'ada@example.org' })
    for (const token of [personal, adas.access_token]) {
      expect(await tokenIntrospection(server, token)).toEqual({ active: false })
    }
    await daemon.operate('user enable', { email: 'ada@example.org' })
    expect(await tokenIntrospection(server, personal)).toMatchObject({ active: true })
    // Sign-ins ended with that; they sign in again.
    expect(await tokenIntrospection(server, adas.access_token)).toEqual({ active: false })
    const { tokens: again } = await signIn(program, notebook, { scope: 'openid' })
    expect(await tokenIntrospection(server, again.access_token)).toMatchObject({ active: true })
    await daemon.operate('client remove', { id })
    expect(await tokenIntrospection(server, again.access_token)).toEqual({ active: false })
  })
})

async function register(options: Readonly<Record<string, string>>) {
  const named = { name: 'notebook', ...options }
  const [id = '', secret] = await daemon.operateAll('client create', named)
  const method = secret === undefined ? None() : ClientSecretBasic(secret)
  return { id, client: await asClient(id, method) }
}

function asClient(id: string, method: ReturnType<typeof None>): Promise<Configuration> {
  // oxlint-disable-next-line typescript/no-deprecated -- the way to speak plain http to a loopback address
  const execute = [allowInsecureRequests]
  return discovery(new URL(daemon.origin), id, undefined, method, { execute })
}

/** Signs Ada in as her browser does; answers the tokens, and the page on which she was asked. */
async function signIn(
  client: Configuration,
  redirect_uri: string,
  asked: Readonly<Record<string, string>>,
): Promise<{
  readonly tokens: TokenEndpointResponse & Awaited<ReturnType<typeof authorizationCodeGrant>>
  readonly page: string
}> {
  await ada
  const verifier = 'v'.repeat(43)
  const url = buildAuthorizationUrl(client, {
    redirect_uri,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(asked['scope']?.includes('offline_access') && { prompt: 'consent' }),
    ...asked,
  })
  const begun = await send('GET', url.href)
  const cookie = cookiesOf(begun)
  const at = begun.headers.get('location') ?? ''
  const page = await send('GET', new URL(at, daemon.origin).href, { headers: { cookie } })
  const body = new URLSearchParams({ decision: 'approve', email: 'ada@example.org', passphrase })
  const decided = await send('POST', new URL(at, daemon.origin).href, { body, headers: { cookie } })
  const next = decided.headers.get('location') ?? ''
  const sent = await send('GET', next, { headers: { cookie } })
  const back = new URL(sent.headers.get('location') ?? '')
  const checks = { pkceCodeVerifier: verifier }
  const tokens = await authorizationCodeGrant(client, back, checks)
  return { tokens, page: page.bytes.toString() }
}

function cookiesOf({ headers }: Reply): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

function whoIs(token: string): Promise<Reply> {
  return send('GET', `${daemon.url}/me`, { headers: { authorization: `Bearer ${token}` } })
}
