import { afterAll, describe, expect, it } from 'vitest'
import { send, type Reply } from '../support/http.ts'
import { cliScope } from '../support/sign-in.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

/** Parameters of each authorization request, beside those that a test gives. */
const pages = { client_id: 'deposit-pages', redirect_uri: `${daemon.origin}/deposit/signed-in` }

function askToken(asked: Readonly<Record<string, string>>): Promise<Reply> {
  return send('POST', `${daemon.origin}/oauth/token`, { body: new URLSearchParams(asked) })
}

function authorize(asked: Readonly<Record<string, string>>): Promise<Reply> {
  const query = new URLSearchParams({ ...pages, scope: 'openid deposit:write', ...asked })
  return send('GET', `${daemon.origin}/oauth/auth?${query.toString()}`)
}

describe('the issuer', () => {
  it('offers authorization codes, device codes, refresh tokens and client secrets, and nothing else', async () => {
    const path = '/.well-known/openid-configuration'
    const { body } = await send('GET', daemon.origin + path)
    const offered = body as Readonly<Record<string, readonly string[]>>

    expect(offered['response_types_supported']).toEqual(['code'])
    expect([...(offered['grant_types_supported'] ?? [])].sort()).toEqual([
      'authorization_code',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ])
    expect(offered['code_challenge_methods_supported']).toEqual(['S256'])
    for (const scope of cliScope.split(' ')) expect(offered['scopes_supported']).toContain(scope)
    expect(offered).not.toHaveProperty('registration_endpoint')
    expect(offered).not.toHaveProperty('end_session_endpoint')
  })

  it.each([
    { grant_type: 'password', username: 'ada@example.org', password: 'x' },
    { grant_type: 'implicit' },
    { grant_type: 'client_credentials' },
    { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x' },
    { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token: 'x' },
  ])('gives no token for %j', async (asked) => {
    for (const client_id of ['deposit-cli', 'deposit-pages']) {
      const { status, body } = await askToken({ ...asked, client_id })

      expect(status).toBe(400)
      expect(body).not.toHaveProperty('access_token')
      expect((body as { readonly error: string }).error).toMatch(
        /^(?:unsupported_grant_type|unauthorized_client|invalid_request)$/,
      )
    }
  })

  it.each(['token', 'id_token', 'id_token token', 'code token', 'none'])(
    'refuses the response type %s',
    async (response_type) => {
      const { status, headers, bytes } = await authorize({ response_type, nonce: 'n' })

      const answer = (headers.get('location') ?? '') + bytes.toString()
      expect([303, 400]).toContain(status)
      expect(answer).not.toContain('access_token')
      expect(answer).toMatch(/unsupported_response_type|wrong way/)
    },
  )

  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['without a challenge', {}],
    ['with a plain challenge', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }],
  ])('begins no sign-in %s', async (_, challenge) => {
    const { headers, bytes } = await authorize({ response_type: 'code', ...challenge })

    expect(headers.get('location') ?? '').not.toContain('/oauth/interaction/')
    expect((headers.get('location') ?? '') + bytes.toString()).toMatch(/invalid_request|wrong way/)
  })

  it.each([
    'http://evil.example/',
    'http://127.0.0.1.evil.example/deposit/signed-in',
    'javascript:1',
    'http://127.0.0.1:9/deposit/signed-in',
    `${daemon.origin}/deposit/signed-in/`,
  ])('does not redirect to %s', async (redirect_uri) => {
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
    const reply = await authorize({ response_type: 'code', ...challenge, redirect_uri })

    expect(reply.status).toBe(400)
    expect(reply.headers.get('location')).toBeNull()
  })

  it('does not sign in a caller who only claims to be a user', async () => {
    const body = new URLSearchParams({ login: 'ada@example.org', password: 'x', prompt: 'login' })
    for (const path of ['/interaction/x', '/interaction/x/login', '/oauth/interaction/x/login']) {
      const statuses = [
        (await send('GET', daemon.origin + path)).status,
        (await send('POST', daemon.origin + path, { body })).status,
      ]
      expect([path, ...statuses]).toEqual([path, 404, 404])
    }
    const known = await send('POST', `${daemon.origin}/oauth/interaction/x`, { body })
    expect(known.status).toBe(403)
  })
})
