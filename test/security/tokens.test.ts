import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { asOwner } from '../support/owner.ts'
import { signInByDevice } from '../support/sign-in.ts'
import { trailOf } from '../support/trail.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

interface NewToken {
  readonly id: string
  readonly token: string
  readonly expires: string | null
}

describe('/tokens/', () => {
  it('makes a narrow token, shows it once, and revokes it', async () => {
    await using daemon = await testDaemon()
    const { tokens } = await signInByDevice(daemon)
    const owner = as(daemon, tokens.access_token)
    const draft = await owner('POST', '/deposits/', { title: 'Sea level' })
    const { id: deposit } = draft.body as { readonly id: string }
    const wish = { name: 'pipeline', scope: 'deposit:write', deposit, expires_in: 2_592_000 }

    const made = await owner('POST', '/tokens/', wish)

    const { id, token, ...facts } = made.body as NewToken
    expect(made.status).toBe(201)
    expect(facts).toMatchObject({ name: 'pipeline', scope: 'deposit:write', deposit })
    const pipeline = as(daemon, token)
    expect((await pipeline('PUT', `/deposits/${deposit}`, { title: 'Level' })).status).toBe(200)
    expect((await pipeline('POST', '/deposits/', {})).status).toBe(403)
    expect((await pipeline('POST', `/deposits/${deposit}/actions/publish`)).status).toBe(403)
    const listed = await owner('GET', '/tokens/')
    expect(listed.body).toMatchObject([{ id, name: 'pipeline' }])
    expect(listed.bytes.toString()).not.toContain(token)
    expect((await owner('DELETE', `/tokens/${id}`)).status).toBe(204)
    expect((await pipeline('GET', `/deposits/${deposit}`)).status).toBe(401)
  })

  it('makes no token with more rights than that of the request', async () => {
    await using daemon = await testDaemon()
    const writer = daemon.as('ada', { scopes: ['deposit:write'] })

    const wider = await writer.post('/tokens/', { json: { scope: 'deposit:actions' } })

    expect(wider.status).toBe(403)
    expect(wider.headers.get('www-authenticate')).toContain('scope="deposit:actions"')
  })

  it('makes a token that is good for a year where nothing else is said, or for ever by null', async () => {
    await using daemon = await testDaemon()
    const { tokens } = await signInByDevice(daemon)
    const owner = as(daemon, tokens.access_token)

    const usual = await owner('POST', '/tokens/', { scope: '' })
    const lasting = await owner('POST', '/tokens/', { scope: '', expires_in: null })

    const days = (Date.parse((usual.body as NewToken).expires ?? '') - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(365)
    expect(lasting.body).toMatchObject({ expires: null })
  })

  it('makes no token that outlives that of the request', async () => {
    await using daemon = await testDaemon()
    await daemon.operate('user add', { email: 'ada@example.org' })
    const options = { user: 'ada@example.org', scope: 'deposit:write', expires: '1h' }
    const short = as(daemon, await daemon.operate('token create', options))

    const made = await short('POST', '/tokens/', { scope: 'deposit:write' })

    const { expires } = made.body as NewToken
    expect(Date.parse(expires ?? '')).toBeLessThan(Date.now() + 3_600_000)
  })

  it('revokes a token with all tokens made by it, and logs their ids', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const parent = (await ada.post('/tokens/', { json: { scope: '' } })).body as NewToken
    const made = await as(daemon, parent.token)('POST', '/tokens/', { scope: '' })
    const child = made.body as NewToken & { readonly parent: string }
    const grandchild = (await as(daemon, child.token)('POST', '/tokens/', { scope: '' }))
      .body as NewToken
    expect(child.parent).toBe(parent.id)
    expect(await daemon.operateAll('token list')).toContainEqual(
      expect.stringMatching(new RegExp(`^${child.id}\t.*\tmade with ${parent.id}$`)),
    )

    expect((await ada.delete(`/tokens/${parent.id}`)).status).toBe(204)

    for (const { token } of [parent, child, grandchild])
      expect((await as(daemon, token)('GET', '/me')).status).toBe(401)
    expect((await ada.get('/me')).status).toBe(200)
    expect(await trailOf(daemon)).toContainEqual(
      expect.objectContaining({ token: parent.id, object: `token:${child.id}` }),
    )
  })

  it('refuses a lifetime of zero instead of making a token that never expires', async () => {
    await using daemon = await testDaemon()
    const options = { user: 'ada@example.org', scope: '' }
    await daemon.as('ada').get('/me')
    for (const expires of ['0d', '0h', '00d']) {
      const refused = daemon.operate('token create', { ...options, expires })
      await expect(refused).rejects.toThrow('is not a duration. Write 30d, 12h or 15m, or never.')
    }
    const lasting = { ...options, expires: 'never' }
    expect(await daemon.operateAll('token create', lasting)).toEqual([
      expect.stringMatching(/^dep_pt_/),
    ])
    expect(await trailOf(daemon)).toContainEqual(
      expect.objectContaining({
        what: expect.stringContaining('depositd token create user=') as unknown,
        object: expect.stringMatching(/^token:[\da-f-]{36}$/) as unknown,
      }),
    )
  })

  it('lets a read-only token revoke itself, and no other token', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const made = await ada.post('/tokens/', { json: { scope: 'deposit:write' } })
    const { id: other, token } = made.body as NewToken
    const reading = (await ada.post('/tokens/', { json: { scope: 'openid' } })).body as NewToken
    const reader = as(daemon, reading.token)

    const refused = await reader('DELETE', `/tokens/${other}`)

    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    expect(refused.headers.get('www-authenticate')).toContain('scope="deposit:write"')
    expect((await as(daemon, token)('GET', '/me')).status).toBe(200)
    expect((await reader('DELETE', `/tokens/${reading.id}`)).status).toBe(204)
    expect((await reader('GET', '/me')).status).toBe(401)
  })

  it('makes no token for a deposit that does not exist or that its user cannot read', async () => {
    await using daemon = await testDaemon()
    const { id } = await daemon.as('bob').createDraft()

    for (const deposit of ['nope', id]) {
      const json = { scope: 'deposit:write', deposit }
      const refused = await daemon.as('ada').post('/tokens/', { json })

      expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'deposit' }] } })
    }
    const options = { user: 'ada@example.org', scope: '', deposit: 'nope' }
    await expect(daemon.operate('token create', options)).rejects.toThrow(/no deposit nope/)
  })

  it('does not let a token for one deposit make another deposit', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const narrow = daemon.as('ada', { deposit: published.id })

    const refused = await narrow.act(published, 'newversion')

    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
    expect((await ada.search()).hits.total).toBe(1)
    expect((await narrow.act(published, 'edit')).status).toBe(201)
  })

  it('is closed to a token for one deposit, and hides the tokens of other users', async () => {
    await using daemon = await testDaemon()
    const made = await daemon.as('ada').post('/tokens/', { json: { scope: '' } })
    const { id } = made.body as NewToken
    const narrow = daemon.as('ada', { deposit: (await daemon.as('ada').createDraft()).id })

    expect((await narrow.get('/tokens/')).status).toBe(403)
    expect((await daemon.as('bob').delete(`/tokens/${id}`)).status).toBe(404)
    expect((await daemon.visitor.get('/tokens/')).status).toBe(401)
  })
})

describe('a client with a secret', () => {
  it('deposits for its owner, within its scopes, until it is removed', async () => {
    await using daemon = await testDaemon()
    await daemon.as('ada').get('/me')
    const options = { name: 'robot', owner: 'ada@example.org', scope: 'deposit:write' }
    const [id = '', secret = ''] = await results(daemon, 'client create', options)

    const { status, body } = await clientToken(daemon, id, secret)

    expect(status).toBe(200)
    const { access_token: token, scope } = body as { access_token: string; scope: string }
    expect(scope).toBe('deposit:write')
    const robot = as(daemon, token)
    const draft = await robot('POST', '/deposits/', { title: 'Sea level' })
    expect(draft.status).toBe(201)
    const ada = await daemon.as('ada').get(`/deposits/${(draft.body as { id: string }).id}`)
    expect(ada.status).toBe(200)
    await daemon.operate('user disable', { email: 'ada@example.org' })
    expect((await robot('GET', '/deposits/')).status).toBe(401)
    expect(await clientToken(daemon, id, secret)).toMatchObject({
      status: 400,
      body: { error: 'invalid_client' },
    })
    await daemon.operate('user enable', { email: 'ada@example.org' })
    expect((await clientToken(daemon, id, secret)).status).toBe(200)
    await daemon.operate('client remove', { id })
    expect((await robot('GET', '/deposits/')).status).toBe(401)
  })

  it('is refused with a wrong secret, and with the stored hash of its own', async () => {
    await using daemon = await testDaemon()
    await daemon.as('ada').get('/me')
    const options = { name: 'robot', owner: 'ada@example.org', scope: 'deposit:write' }
    const [id = '', secret = ''] = await results(daemon, 'client create', options)
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))

    const hashed = await clientToken(daemon, id, Buffer.from(digest).toString('hex'))

    expect(hashed).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect((await clientToken(daemon, id, 'dep_cs_wrong')).status).toBe(401)
  })
})

function as({ url }: TestDaemon, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  return (method: string, path: string, json?: unknown) =>
    send(method, url + path, { headers, ...(json !== undefined && { json }) })
}

async function results(daemon: TestDaemon, command: string, options: Record<string, string>) {
  const path = '/local/operator'
  const headers = await asOwner(daemon.origin, daemon.home, path)
  const reply = await send('POST', daemon.origin + path, { headers, json: { command, options } })
  return (reply.body as { readonly results: readonly string[] }).results
}

function clientToken({ origin }: TestDaemon, id: string, secret: string) {
  const basic = Buffer.from(`${id}:${secret}`).toString('base64')
  const headers = { authorization: `Basic ${basic}` }
  const scope = 'deposit:write deposit:actions'
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope })
  return send('POST', `${origin}/oauth/token`, { headers, body })
}
