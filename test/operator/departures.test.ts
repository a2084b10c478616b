import { expect, it } from 'vitest'
import type { DepositBody, SearchBody } from '../../core/contract/schemas.ts'
import { operateHere } from '../support/depositd.ts'
import { bodyOf, send } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { signInByDevice } from '../support/sign-in.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { dumpOf, filesWith } from '../support/traces.ts'
import { trailOf } from '../support/trail.ts'

const email = 'ada@example.org'
const name = 'Augusta Byron'

it('depositd user delete hands over the deposits, and leaves no trace of the person', async () => {
  await using daemon = await testDaemon()
  const [ada, bob] = [daemon.as('ada'), daemon.as('bob')]
  await ada.get('/me')
  await operateHere(daemon.home, ['user', 'rename', email, email, '--name', name])
  for (let count = 0; count < 100; count += 1)
    await daemon.operate('user add', { email: `user${count}@example.org`, name: `User ${count}` })
  await signInByDevice(daemon)
  const headers = { 'idempotency-key': 'one' }
  const draft = bodyOf<DepositBody>(
    await ada.post('/deposits/', { json: { title: 'Tides' }, headers }),
    201,
  )
  await ada.addFile(draft, 'tides.csv', '1,2')
  const published = await ada.publish(await ada.createDraftWith('levels.csv'))
  const hidden = await ada.createDraft()
  await ada.delete(`/deposits/${hidden.id}?force=false`)
  await ada.post('/tokens/', { json: { name: `The laptop of ${name}`, scope: '' } })
  await bob.get('/me')
  const { user } = bodyOf<{ readonly user: string }>(await ada.get('/me'), 200)
  expect(await dumpOf(daemon)).toContain(email)
  await expect.poll(() => filesWith(daemon.home, email)).not.toEqual([])

  const refused = await operateHere(daemon.home, ['user', 'delete', email, '--json'])
  const deleted = await operateHere(daemon.home, [
    'user',
    'delete',
    email,
    '--deposits-to',
    'bob@example.org',
    '--json',
  ])

  expect(refused.status).toBe(1)
  expect(JSON.parse(refused.stdout)).toMatchObject({
    error: { message: expect.stringContaining('has deposits. Say who gets them') as unknown },
  })
  expect(deleted.stderr).not.toContain('Error')
  expect(deleted.status).toBe(0)
  expect(JSON.parse(deleted.stdout)).toMatchObject({ id: user, deposits: 3 })
  expectProblem(await ada.get('/me'), 'unauthenticated', /./)
  const listed = bodyOf<SearchBody>(await bob.get('/deposits/'), 200).hits.hits.map(({ id }) => id)
  expect(new Set(listed)).toEqual(new Set([draft.id, published.id]))
  expect((await bob.search('q=tides')).hits.total).toBe(1)
  expect(await bob.keys(draft)).toEqual(['tides.csv'])
  await bob.edit(published)
  const dump = await dumpOf(daemon)
  for (const trace of [email, name]) {
    expect(dump).not.toContain(trace)
    // The manifests of records are written behind the change.
    await expect.poll(() => filesWith(daemon.home, trace)).toEqual([])
  }
  const entries = await trailOf(daemon, { user })
  expect(entries.length).toBeGreaterThan(3)
  expect(entries.filter(({ from }) => from !== undefined)).toEqual([])
  const check = await operateHere(daemon.home, ['check'])
  expect(check).toMatchObject({ status: 0, stdout: '' })
})

it('depositd user delete gives no heir a deposit of others, and tells who the heir is', async () => {
  await using daemon = await testDaemon()
  const [ada, bob, eve] = [daemon.as('ada'), daemon.as('bob'), daemon.as('eve')]
  for (const user of [ada, eve]) await user.get('/me')
  const owner = (who: string) => ({ json: { user: `${who}@example.org`, role: 'owner' } })
  const { id: bobs } = await bob.createDraft()
  await bob.post(`/deposits/${bobs}/people`, owner('ada'))
  const co = await operateHere(daemon.home, ['user', 'delete', email])
  expect(co).toMatchObject({ status: 0 })
  expect(bodyOf(await bob.get(`/deposits/${bobs}/people`), 200)).toHaveLength(1)

  const { id: taken } = await bob.createDraft()
  await bob.post(`/deposits/${taken}/people`, owner('dan'))
  const dan = daemon.as('dan')
  await bob.post(`/deposits/${taken}/transfer`, { json: { user: 'dan@example.org' } })
  await dan.post(`/deposits/${taken}/transfer/accept`)
  await dan.post(`/deposits/${taken}/people`, owner('bob'))
  const { id: shared } = await bob.createDraft()
  await bob.post(`/deposits/${shared}/people`, owner('dan'))
  const command = [
    'user',
    'delete',
    'dan@example.org',
    '--deposits-to',
    'eve@example.org',
    '--json',
  ]
  const deleted = await operateHere(daemon.home, command)

  expect(JSON.parse(deleted.stdout)).toMatchObject({ deposits: 1 })
  expect((await eve.get(`/deposits/${shared}`)).status).toBe(403)
  const people = async (of: string) =>
    bodyOf<readonly { readonly user: object }[]>(await bob.get(`/deposits/${of}/people`), 200)
  expect(await people(shared)).toMatchObject([{ user: { email: 'bob@example.org' } }])
  expect(await people(taken)).toMatchObject([
    { user: { email: 'eve@example.org' } },
    { user: { email: 'bob@example.org' } },
  ])
  const check = await operateHere(daemon.home, ['check'])
  expect(check).toMatchObject({ status: 0, stdout: '' })
})

it('depositd user rename keeps everything of the user, and forgets the old address', async () => {
  await using daemon = await testDaemon()
  const ada = daemon.as('ada')
  const { id } = await ada.createPublished()
  const rename = (to: string, ...more: readonly string[]) =>
    operateHere(daemon.home, ['user', 'rename', email, to, ...more])
  await daemon.operate('user add', { email: 'bob@example.org' })

  const taken = await rename('bob@example.org')
  const renamed = await rename('ada.king@example.org', '--name', 'Ada King')

  expect(taken).toMatchObject({ status: 1 })
  expect(taken.stderr).toContain('There is a user bob@example.org already.')
  expect(renamed).toMatchObject({ status: 0 })
  expect(bodyOf(await ada.get('/me'), 200)).toMatchObject({ email: 'ada.king@example.org' })
  expect((await ada.get(`/deposits/${id}`)).status).toBe(200)
  expect(await dumpOf(daemon)).not.toContain(email)
  await expect.poll(() => filesWith(daemon.home, email)).toEqual([])
})

it('depositd user merge brings deposits and tokens to one account', async () => {
  await using daemon = await testDaemon()
  const [old, bob] = [daemon.as('ada'), daemon.as('bob')]
  const draft = await old.createDraftWith('a')
  await bob.createDraft()
  const { user } = bodyOf<{ readonly user: string }>(await bob.get('/me'), 200)

  const merged = await operateHere(daemon.home, ['user', 'merge', email, 'bob@example.org'])

  expect(merged).toMatchObject({ status: 0 })
  expect(bodyOf(await old.get('/me'), 200)).toMatchObject({ user, email: 'bob@example.org' })
  expect((await bob.search()).hits.total).toBe(2)
  expect((await bob.delete(`/deposits/${draft.id}/files/a`)).status).toBe(204)
  const check = await operateHere(daemon.home, ['check'])
  expect(check).toMatchObject({ status: 0, stdout: '' })
})

it('depositd user merge revokes the tokens that would get more roles, unless they are to go along', async () => {
  for (const withTokens of [false, true]) {
    await using daemon = await testDaemon()
    const [old, boss] = [daemon.as('ada'), daemon.as('boss', { admin: true })]
    expect((await old.get('/admin/users')).status).toBe(403)
    await boss.get('/me')
    const command = ['user', 'merge', email, 'boss@example.org']

    const merged = await operateHere(daemon.home, [
      ...command,
      ...(withTokens ? ['--with-tokens'] : []),
    ])

    expect(merged.status).toBe(0)
    const said = '1 token was revoked, which would have got the roles of boss@example.org'
    if (withTokens) expect(merged.stderr).not.toContain('revoked')
    else expect(merged.stderr).toContain(said)
    expect((await old.get('/admin/users')).status).toBe(withTokens ? 200 : 401)
    expect((await boss.get('/admin/users')).status).toBe(200)
  }
})

it('depositd user merge gives client programs and a disabled account no more than they had', async () => {
  const cases = [
    { more: [], disabled: false, goesOn: false },
    { more: ['--with-tokens'], disabled: false, goesOn: true },
    { more: [], disabled: true, goesOn: false },
  ]
  for (const { more, disabled, goesOn } of cases) {
    await using daemon = await testDaemon()
    // With the same roles as a disabled account.
    const [old, boss] = [daemon.as('ada'), daemon.as('boss', { admin: !disabled })]
    for (const user of [old, boss]) await user.get('/me')
    const named = { name: 'robot', owner: email, scope: 'deposit:write' }
    const [id = '', secret = ''] = await daemon.operateAll('client create', named)
    const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'deposit:write' })
    const basic = Buffer.from(`${id}:${secret}`).toString('base64')
    const headers = { authorization: `Basic ${basic}` }
    const signIn = () => send('POST', `${daemon.origin}/oauth/token`, { body, headers })
    const { access_token: token } = bodyOf<{ readonly access_token: string }>(await signIn(), 200)
    if (disabled) await daemon.operate('user disable', { email })

    const command = ['user', 'merge', email, 'boss@example.org', ...more]
    const merged = await operateHere(daemon.home, command)

    expect(merged.status).toBe(0)
    expect(merged.stderr.includes('the client robot')).toBe(!goesOn)
    if (disabled) expect(merged.stderr).toContain('for the account was disabled')
    expect((await signIn()).status).toBe(goesOn ? 200 : 401)
    const as = { authorization: `Bearer ${token}` }
    const shown = await send('GET', `${daemon.url}/me`, { headers: as })
    expect(shown.status).toBe(goesOn ? 200 : 401)
    expect((await old.get('/me')).status).toBe(goesOn ? 200 : 401)
    expect((await boss.get('/me')).status).toBe(200)
  }
})

it('depositd user merge refuses a disabled account that is to stay', async () => {
  await using daemon = await testDaemon()
  const [old, bob] = [daemon.as('ada'), daemon.as('bob')]
  for (const user of [old, bob]) await user.get('/me')
  await daemon.operate('user disable', { email: 'bob@example.org' })
  const merge = () => operateHere(daemon.home, ['user', 'merge', email, 'bob@example.org'])

  const refused = await merge()

  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('bob@example.org is disabled')
  expect(refused.stderr).toContain('depositd user enable bob@example.org')
  expect((await old.get('/me')).status).toBe(200)
  await daemon.operate('user enable', { email: 'bob@example.org' })
  expect(await merge()).toMatchObject({ status: 0 })
})

it('depositd user merge takes roles along, and names changes and the trail by the account that stays', async () => {
  await using daemon = await testDaemon()
  const [old, bob, eve] = [daemon.as('ada'), daemon.as('bob'), daemon.as('eve')]
  const { user } = bodyOf<{ readonly user: string }>(await old.get('/me'), 200)
  const { user: stays } = bodyOf<{ readonly user: string }>(await bob.get('/me'), 200)
  const { id } = await eve.createDraft()
  await eve.post(`/deposits/${id}/people`, { json: { user: email, role: 'editor' } })
  await old.put(`/deposits/${id}`, { title: 'Tides' })

  const merged = await operateHere(daemon.home, ['user', 'merge', email, 'bob@example.org'])

  expect(merged).toMatchObject({ status: 0 })
  expect(merged.stderr).toContain(
    `Merged ${email} into bob@example.org: a role on 1 deposit of others, tokens.`,
  )
  expect(bodyOf(await eve.get(`/deposits/${id}/history`), 200)).toMatchObject([{ by: stays }])
  for (const named of ['bob@example.org', user]) {
    const entries = await trailOf(daemon, { user: named, deposit: id })
    expect(entries).toMatchObject([{ who: user, email: 'bob@example.org', deposit: id }])
  }
  const gone = await operateHere(daemon.home, ['audit', '--user', email])
  expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining('There is no user')])
})

it('depositd user merge keeps the higher of two roles, and takes offers along', async () => {
  await using daemon = await testDaemon()
  const [bob, eve] = [daemon.as('bob'), daemon.as('eve')]
  bodyOf(await daemon.as('ada').get('/me'), 200)
  const { user: stays } = bodyOf<{ readonly user: string }>(await bob.get('/me'), 200)
  const merge = ['user', 'merge', email, 'bob@example.org']
  const shared = async (roles: Readonly<Record<string, string>>) => {
    const { id } = await eve.createDraft()
    for (const [user, role] of Object.entries(roles))
      bodyOf(await eve.post(`/deposits/${id}/people`, { json: { user, role } }), 201)
    return id
  }
  const higher = await shared({ [email]: 'editor', 'bob@example.org': 'reader' })
  const lower = await shared({ [email]: 'reader', 'bob@example.org': 'editor' })
  const offered = await shared({})
  bodyOf(await eve.post(`/deposits/${offered}/transfer`, { json: { user: email } }), 201)

  expect(await operateHere(daemon.home, merge)).toMatchObject({ status: 0 })

  for (const id of [higher, lower]) {
    const people = bodyOf<readonly object[]>(await eve.get(`/deposits/${id}/people`), 200)
    expect(people).toMatchObject([{ role: 'owner' }, { role: 'editor' }])
    expect((await bob.put(`/deposits/${id}`, { title: 'Tides' })).status).toBe(200)
  }
  expect(bodyOf(await eve.get(`/deposits/${offered}/transfer`), 200)).toMatchObject({
    user: { id: stays },
  })
  expect((await bob.post(`/deposits/${offered}/transfer/accept`)).status).toBe(200)
})

it('depositd user merge tells of tokens where there were some, of one as of one', async () => {
  await using daemon = await testDaemon()
  const [none, one, into] = ['none@example.org', 'one@example.org', 'into@example.org']
  for (const address of [none, one, into]) await daemon.operate('user add', { email: address })
  await daemon.operate('token create', { user: one, scope: '' })
  await daemon.operate('user disable', { email: one })
  const merge = async (address: string) =>
    (await operateHere(daemon.home, ['user', 'merge', address, into])).stderr

  const [without, disabled] = [await merge(none), await merge(one)]

  expect(without).toContain(`Merged ${none} into ${into}.`)
  expect(disabled).toContain(
    '1 token was revoked, which was refused before, for the account was disabled.',
  )
})
