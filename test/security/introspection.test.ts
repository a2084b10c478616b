import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { signInByDevice } from '../support/sign-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const scope = 'deposit:write'

it('a token is valid only at the address of the service that issued it', async () => {
  await using home = await temporaryFolder()
  const token = await givenAt(home.path)
  await using moved = await testDaemon({
    home: home.path,
    env: {
      DEPOSIT_PUBLIC_URL: 'https://deposit.example.org',
      DEPOSIT_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  const headers = { host: 'deposit.example.org', authorization: `Bearer ${token}` }

  expect((await send('GET', `${moved.url}/me`, { headers })).status).toBe(401)
})

/** A valid access token of a daemon that has ended since. */
async function givenAt(home: string): Promise<string> {
  await using daemon = await testDaemon({ home })
  const { tokens } = await signInByDevice(daemon)
  expect((await me(daemon, tokens.access_token)).status).toBe(200)
  return tokens.access_token
}

describe('introspection', () => {
  it('tells a client the scope and audience of its token until it is revoked', async () => {
    await using daemon = await testDaemon()
    const robot = await newClient(daemon, 'robot')
    const token = await robot.token()

    const active = await robot.ask('introspection', token)

    expect(active.body).toMatchObject({
      active: true,
      scope,
      client_id: robot.id,
      aud: `${daemon.origin}/api`,
      iss: daemon.origin,
      token_type: 'Bearer',
    })
    expect((await robot.ask('revocation', token)).status).toBe(200)
    expect((await robot.ask('introspection', token)).body).toEqual({ active: false })
    expect((await me(daemon, token)).status).toBe(401)
  })

  it('reveals nothing about the tokens of others, which other clients cannot revoke', async () => {
    await using daemon = await testDaemon()
    const robot = await newClient(daemon, 'robot')
    const other = await newClient(daemon, 'other')
    const { tokens } = await signInByDevice(daemon)

    for (const token of [await robot.token(), tokens.access_token, tokens.refresh_token ?? '']) {
      expect((await other.ask('introspection', token)).body).toEqual({ active: false })
      await other.ask('revocation', token)
    }

    expect((await me(daemon, tokens.access_token)).status).toBe(200)
  })

  it('refuses callers that do not name a client, or have a wrong secret', async () => {
    await using daemon = await testDaemon()
    const robot = await newClient(daemon, 'robot')
    const token = await robot.token()
    const url = `${daemon.origin}/oauth/introspection`

    const anonymous = await send('POST', url, { body: new URLSearchParams({ token }) })
    const wrong = await robot.ask('introspection', token, 'dep_cs_wrong')

    expect(anonymous).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })
})

async function newClient(daemon: TestDaemon, name: string) {
  await daemon.as('ada').get('/me')
  const options = { name, owner: 'ada@example.org', scope }
  const [id = '', own = ''] = await daemon.operateAll('client create', options)
  const post = (path: string, fields: Readonly<Record<string, string>>, secret: string) => {
    const basic = Buffer.from(`${id}:${secret}`).toString('base64')
    const headers = { authorization: `Basic ${basic}` }
    return send('POST', daemon.origin + path, { headers, body: new URLSearchParams(fields) })
  }
  return {
    id,
    token: async (): Promise<string> => {
      const { body } = await post('/oauth/token', { grant_type: 'client_credentials', scope }, own)
      return (body as { readonly access_token: string }).access_token
    },
    ask: (what: 'introspection' | 'revocation', token: string, secret: string = own) =>
      post(`/oauth/${what}`, { token }, secret),
  }
}

function me({ url }: TestDaemon, token: string) {
  return send('GET', `${url}/me`, { headers: { authorization: `Bearer ${token}` } })
}
