import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { runCli } from '../support/run-cli.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon({ env: { DEPOSIT_QUOTA: '1000000' } })
afterAll(() => daemon[Symbol.asyncDispose]())

interface Person {
  readonly id: string
  readonly user: { readonly id: string; readonly email: string }
  readonly role: string
  readonly since: string
}

let drafts = 0

/** A draft of a user of its own, and two others. */
async function setting() {
  drafts += 1
  const [owner, other, third] = ['ada', 'bob', 'eve'].map((name) => `${name}${drafts}`) as [
    string,
    string,
    string,
  ]
  const [ada, bob, eve] = [daemon.as(owner), daemon.as(other), daemon.as(third)]
  for (const user of [bob, eve]) await user.get('/me')
  const draft = await ada.createDraftWith('a.txt')
  const path = `/deposits/${draft.id}`
  const give = async (by: User, name: string, role: string) =>
    by.post(`${path}/people`, { json: { user: `${name}@example.org`, role } })
  return { ada, bob, eve, owner, other, third, draft, path, give }
}

async function idOf(user: User): Promise<string> {
  return bodyOf<{ readonly user: string }>(await user.get('/me'), 200).user
}

const idIn = ({ body }: Reply): string => (body as Person).id

async function listed(user: User): Promise<readonly string[]> {
  const { hits } = await user.search('size=100')
  return hits.hits.map(({ id }) => id)
}

describe('people of a deposit', () => {
  it('are listed with their roles, the owner first', async () => {
    const { ada, give, path, owner, other, draft } = await setting()
    const added = bodyOf<Person>(await give(ada, other, 'editor'), 201)
    const people = bodyOf<readonly Person[]>(await ada.get(`${path}/people`), 200)

    expect(added).toEqual({
      id: added.user.id,
      user: { id: added.user.id, email: `${other}@example.org` },
      role: 'editor',
      since: added.since,
    })
    expect(people.map(({ user, role }) => [user.email, role])).toEqual([
      [`${owner}@example.org`, 'owner'],
      [`${other}@example.org`, 'editor'],
    ])
    expect((await ada.show(draft)).metadata._deposit?.owners).toEqual([await idOf(ada)])
  })

  it('find the deposit in lists, searches and counts until they are removed', async () => {
    const { ada, bob, give, path, other, draft } = await setting()
    expect(await listed(bob)).toEqual([])
    await give(ada, other, 'reader')

    const found = await bob.search('q=level')
    expect(await listed(bob)).toEqual([draft.id])
    expect(found.hits.total).toBe(1)
    expect(JSON.stringify(found.aggregations)).toContain('"doc_count":1')

    const id = await idOf(bob)
    expect((await ada.delete(`${path}/people/${id}`)).status).toBe(204)
    expect(await listed(bob)).toEqual([])
    expect((await bob.search('q=level')).hits.total).toBe(0)
    expect((await bob.get(path)).status).toBe(403)
  })

  it('see in lists and searches which deposits were shared with them, and as what', async () => {
    const { ada, bob, eve, give, other, third, draft } = await setting()
    await give(ada, other, 'editor')
    await give(ada, third, 'owner')
    const own = await bob.createDraft({ title: 'Levels of Bob' })
    const rolesOf = async (user: User, query = '') =>
      Object.fromEntries(
        (await user.search(`size=100${query}`)).hits.hits.map((hit) => [
          hit.id,
          (hit as DepositBody).role,
        ]),
      )

    expect(await rolesOf(bob)).toEqual({ [draft.id]: 'editor', [own.id]: undefined })
    expect(await rolesOf(bob, '&q=level*')).toMatchObject({ [draft.id]: 'editor' })
    expect(await rolesOf(eve)).toEqual({ [draft.id]: 'owner' })
    expect(await rolesOf(ada)).toEqual({ [draft.id]: undefined })
    const token = await daemon.operate('token create', {
      user: `${other}@example.org`,
      scope: '',
      expires: 'never',
    })
    const environment = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: token }
    const lines = (await runCli(['list'], { environment })).stdout.trim().split('\n')
    expect(lines.find((line) => line.startsWith(draft.id))).toContain('draft, shared (editor)')
    expect(lines.find((line) => line.startsWith(own.id))).not.toContain('shared')
  })

  it('are not given more than 1000 deposits of one owner, but by an administrator', async () => {
    const { ada, bob, other } = await setting()
    const json = { user: `${other}@example.org`, role: 'reader' }
    const share = async (by: User) => {
      const { id } = await ada.createDraft({})
      return by.post(`/deposits/${id}/people`, { json })
    }
    let last = ''
    for (let count = 0; count < 1000; count += 1) {
      const reply = await share(ada)
      expect(reply.status).toBe(201)
      last = reply.headers.get('location') ?? ''
    }
    const refused = await share(ada)
    expect([refused.status, refused.body]).toMatchObject([507, { code: 'quota_exceeded' }])
    expect(refused.bytes.toString()).toContain('1000 deposits that are shared with one person')
    expect((await share(daemon.as('root', { admin: true }))).status).toBe(201)

    // The advice: they are removed where they need it no more.
    expect((await ada.delete(last)).status).toBe(204)
    expect((await bob.delete(last.replace(/[^/]+$/, 'me'))).status).toBe(403)
    expect((await share(ada)).status).toBe(507)
    const [some] = await listed(bob)
    expect((await bob.delete(`/deposits/${some}/people/me`)).status).toBe(204)
    expect((await share(ada)).status).toBe(201)
  })

  it('who are named again have the last role that was given, invited or not', async () => {
    const { ada, give, path, other } = await setting()
    for (const name of [other, `later${drafts}`]) {
      const [first, second] = [await give(ada, name, 'reader'), await give(ada, name, 'editor')]
      expect(idIn(second)).toBe(idIn(first))
      const people = bodyOf<readonly Person[]>(await ada.get(`${path}/people`), 200)
      expect(people.filter(({ id }) => id === idIn(first)).map(({ role }) => role)).toEqual([
        'editor',
      ])
    }
    expect((await daemon.as(`later${drafts}`).patch(path, [])).status).toBe(200)
  })

  it('keep finding a deposit that was deleted and brought back', async () => {
    const { ada, bob, give, path, other, draft } = await setting()
    await give(ada, other, 'reader')
    await ada.delete(`${path}?force=false`)
    expect(await listed(bob)).toEqual([])
    await daemon.operate('undelete', { id: draft.id })

    expect(await listed(bob)).toEqual([draft.id])
  })

  it('are answered alike whether an address has an account or not', async () => {
    const { ada, give, other } = await setting()
    const known = await give(ada, other, 'reader')
    const unknown = await give(ada, `nobody${drafts}`, 'reader')
    const shape = (value: unknown) =>
      JSON.stringify(value)
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
        .replaceAll(/\d{4}-[^"]*Z/g, 'time')
        .replaceAll(/"[^"]*@/g, '"@')

    expect(unknown.status).toBe(known.status)
    expect(shape(unknown.body)).toBe(shape(known.body))
  })

  it('who were invited have their role as soon as they have an account', async () => {
    const { ada, give, draft } = await setting()
    const name = `late${drafts}`
    await give(ada, name.toUpperCase(), 'editor')
    const late = daemon.as(name)

    expect(await listed(late)).toEqual([draft.id])
    expect((await late.put(`/deposits/${draft.id}`, { title: 'Tides' })).status).toBe(200)
  })

  it('may do what their role says', async () => {
    const { ada, bob, eve, give, path, other, third } = await setting()
    await give(ada, other, 'editor')
    await give(ada, third, 'reader')
    const shown = await ada.show({ id: path.split('/').at(-1) ?? '' })

    expect((await bob.put(path, { title: 'Tides' })).status).toBe(200)
    expect((await bob.putObject(shown, 'b.txt', 'b')).status).toBe(201)
    expect((await give(bob, 'zoe', 'reader')).status).toBe(403)
    expect((await bob.post(`${path}/links`, { json: { role: 'reader' } })).status).toBe(403)
    expect((await bob.delete(path)).status).toBe(403)
    expect((await eve.get(path)).status).toBe(200)
    expect((await eve.get(`${path}/files/a.txt`)).status).toBe(200)
    expect((await eve.get(`${path}/people`)).status).toBe(200)
    expect((await eve.put(path, { title: 'Mine' })).status).toBe(403)
    expect((await eve.post(`${path}/actions/publish`)).status).toBe(403)
    expect((await bob.post(`${path}/actions/publish`)).status).toBe(202)
    const withdrawn = await bob.post(`${path}/actions/withdraw`, { json: { reason: 'test' } })
    expect(withdrawn.status).toBe(403)
  })

  it('include an owner, always', async () => {
    const { ada, bob, give, path, owner, other } = await setting()
    const own = await idOf(ada)
    const refused = await ada.delete(`${path}/people/${own}`)
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'last_owner' }])
    expect(refused.bytes.toString()).toContain('Add another owner first')
    expect((await give(ada, owner, 'reader')).status).toBe(409)

    await give(ada, other, 'owner')
    const handed = await ada.delete(`${path}/people/${own}`)
    expect(handed.status).toBe(409)
    expect(handed.bytes.toString()).toContain('transfer it to another owner')
    expect((await bob.delete(`${path}/people/${own}`)).status).toBe(204)
    expect((await ada.get(path)).status).toBe(403)
    expect((await bob.delete(`${path}/people/${await idOf(bob)}`)).status).toBe(409)
  })

  it('give up their own role, but for the last owner and holders of links', async () => {
    const { ada, bob, eve, give, path, other, third } = await setting()
    await give(ada, other, 'editor')
    await give(ada, third, 'reader')
    const me = `${path}/people/me`
    const stale = await bob.delete(me, { 'if-match': '"0"' })
    expect(stale.status).toBe(412)
    expect((await bob.delete(me)).status).toBe(204)
    expect((await eve.delete(me)).status).toBe(204)

    expect([await listed(bob), await listed(eve)]).toEqual([[], []])
    expect([(await bob.get(path)).status, (await eve.get(path)).status]).toEqual([403, 403])
    const people = bodyOf<readonly Person[]>(await ada.get(`${path}/people`), 200)
    expect(people.map(({ role }) => role)).toEqual(['owner'])
    expect((await bob.delete(me)).status).toBe(403)
    const last = await ada.delete(me)
    expect([last.status, last.body]).toMatchObject([409, { code: 'last_owner' }])
    expect((await daemon.visitor.delete(me)).status).toBe(401)
  })

  it('keep their role where a token that is not theirs alone asks to give it up', async () => {
    const { ada, give, path, other, draft } = await setting()
    await give(ada, other, 'reader')
    const me = `${path}/people/me`
    const reading = daemon.as(other, { scopes: [] })
    const narrow = daemon.as(other, { deposit: draft.id })

    expect((await reading.delete(me)).status).toBe(403)
    expect((await narrow.delete(me)).status).toBe(403)
    expect((await daemon.as(other).get(path)).status).toBe(200)
  })

  it('stay the same with the next version', async () => {
    const { ada, bob, give, path, other, draft } = await setting()
    await give(ada, other, 'editor')
    await ada.publish(draft)
    const next = await bob.post(`${path}/actions/newversion`)
    const again = await ada.post(`${path}/actions/newversion`)

    expect([next.status, again.status]).toEqual([201, 201])
    expect(again.body).toMatchObject({ id: (next.body as { readonly id: string }).id })
    expect(await listed(bob)).toHaveLength(2)
    const { id } = next.body as { readonly id: string }
    const people = bodyOf<readonly Person[]>(await ada.get(`/deposits/${id}/people`), 200)
    expect(people.map(({ user }) => user.email)).toContain(`${other}@example.org`)
  })
})

describe('invitations', () => {
  const userOf = (name: string, role = 'reader') => ({
    json: { user: `${name}@example.org`, role },
  })

  it('are refused as people with an account are: by how many one shares with', async () => {
    const { ada, bob, eve, other, third } = await setting()
    const drafts = await Promise.all(Array.from({ length: 6 }, () => ada.createDraft()))
    const paths = drafts.map(({ id }) => `/deposits/${id}`)
    const [path = '', ...others] = paths
    const invite = async (below: string, at: number) => {
      for (let n = 0; n < 199; n += 1) {
        const { status } = await ada.post(`${below}/people`, userOf(`i${at}.${n}.${other}`))
        expect(status).toBe(201)
      }
    }
    await Promise.all(others.map(invite))
    for (let n = 0; n < 4; n += 1) await ada.post(`${path}/people`, userOf(`j${n}.${other}`))
    const offered = { json: { user: `j.${other}@example.org` } }
    expect((await ada.post(`${path}/transfer`, offered)).status).toBe(201)

    const asked = [userOf(`more.${other}`), userOf(other)]
    const refused = [
      ...(await Promise.all(asked.map((each) => ada.post(`${path}/people`, each)))),
      ...(await Promise.all(
        asked.map(({ json: { user } }) => ada.post(`${path}/transfer`, { json: { user } })),
      )),
    ]
    const bodies = refused.map(({ body }) => body as { readonly [name: string]: unknown })
    const told = bodies.map(({ instance: _, request_id: __, ...rest }) => JSON.stringify(rest))
    expect(bodies[0]).toMatchObject({ status: 507, code: 'quota_exceeded' })
    expect(told).toEqual(told.map(() => told[0]))
    expect(refused[0]?.bytes.toString()).toContain('1000 people to share deposits with')
    // Who has a role already is given another, and one on further deposits.
    const first = userOf(`i0.1.${other}`, 'editor')
    for (const below of [others[0], path])
      expect((await ada.post(`${below}/people`, first)).status).toBe(201)

    // The advice: those who need it no more are removed, or an administrator adds the others.
    const [, some] = bodyOf<readonly Person[]>(await ada.get(`${others[1]}/people`), 200)
    expect((await ada.delete(`${others[1]}/people/${some?.id}`)).status).toBe(204)
    expect((await ada.post(`${path}/people`, userOf(other))).status).toBe(201)
    expect((await ada.post(`${path}/people`, userOf(third))).status).toBe(507)
    const root = daemon.as('root', { admin: true })
    expect((await root.post(`${path}/people`, userOf(third))).status).toBe(201)
    expect([await listed(bob), await listed(eve)]).toEqual([[drafts[0]?.id], [drafts[0]?.id]])
  }, 180_000)

  it('stay for the other deposits of somebody who is removed from one', async () => {
    const { ada, path } = await setting()
    const other = `/deposits/${(await ada.createDraft()).id}`
    const offered = `/deposits/${(await ada.createDraft()).id}`
    const name = `late${drafts}`
    const { id } = bodyOf<Person>(await ada.post(`${path}/people`, userOf(name)), 201)
    await ada.post(`${other}/people`, userOf(name))
    await ada.post(`${offered}/transfer`, { json: { user: `${name}@example.org` } })
    await ada.delete(`${path}/people/${id}`)
    await ada.delete(`${other}/people/${id}`)

    expect((await daemon.as(name).post(`${offered}/transfer/accept`)).status).toBe(200)
  })

  it('tell nobody the address that the person has later', async () => {
    const { ada, bob, give, path, other } = await setting()
    await give(ada, other, 'editor')
    await ada.post(`${path}/transfer`, { json: { user: `${other}@example.org` } })
    await bob.put(path, { title: 'Tides' })
    const renamed = `secret${drafts}@example.org`
    const rename = ['user', 'rename', `${other}@example.org`, renamed]
    expect(await runDepositd(daemon.home, rename)).toMatchObject({ status: 0 })
    const told: unknown[] = []
    await bob.post(`${path}/comments`, { json: { text: 'Ready.' } })
    for (const part of ['people', 'transfer', 'history', 'comments']) {
      const reply = await ada.get(`${path}/${part}`)
      told.push(reply.bytes.toString().includes('secret'))
    }

    expect(told).toEqual([false, false, false, false])
    expect((await bob.get(`${path}/comments`)).bytes.toString()).toContain(renamed)
    const people = bodyOf<readonly Person[]>(await ada.get(`${path}/people`), 200)
    expect(people.map(({ user }) => user.email)).toEqual([`ada${drafts}@example.org`, null])
    // An owner who knows it names them by it.
    expect((await give(ada, `secret${drafts}`, 'editor')).status).toBe(201)
    expect((await ada.get(`${path}/people`)).bytes.toString()).toContain(renamed)
    expect((await ada.get(`${path}/history`)).bytes.toString()).toContain(renamed)
    expect((await ada.get(`${path}/comments`)).bytes.toString()).toContain(renamed)
  })
})

describe('an owner who was made one by another', () => {
  it('pays for nothing, and gives it up without being asked why', async () => {
    const { ada, bob, give, path, other } = await setting()
    const used = async () => bodyOf<{ readonly used: number }>(await bob.get('/me'), 200).used
    const before = await used()
    await give(ada, other, 'owner')

    expect((await ada.delete(`${path}/people/me`)).status).toBe(409)
    expect(await used()).toBe(before)
    expect((await bob.delete(`${path}/people/me`)).status).toBe(204)
    expect(await listed(bob)).toEqual([])
  })
})

describe('transfers', () => {
  const used = async (user: User) =>
    bodyOf<{ readonly used: number }>(await user.get('/me'), 200).used

  it('take effect when the receiver accepts, with all bytes', async () => {
    const { ada, bob, eve, path, other, draft } = await setting()
    const [before, none] = [await used(ada), await used(bob)]
    const user = `${other}@example.org`
    const offered = await ada.post(`${path}/transfer`, { json: { user } })
    expect([offered.status, offered.body]).toMatchObject([201, { status: 'offered' }])
    expect((await eve.post(`${path}/transfer/accept`)).status).toBe(403)
    expect((await bob.get(path)).status).toBe(403)

    expect((await bob.post(`${path}/transfer/accept`)).status).toBe(200)
    expect((await ada.get(path)).status).toBe(403)
    const { metadata } = await bob.show(draft)
    expect(metadata._deposit?.owners).toEqual([await idOf(bob)])
    expect(metadata._deposit?.created_by).toBe(await idOf(ada))
    expect([await used(ada), await used(bob)]).toEqual([0, none + before])
    expect((await bob.post(`${path}/transfer/accept`)).status).toBe(403)
  })

  it('are refused to a receiver without room', async () => {
    const { ada, bob, path, other } = await setting()
    await daemon.operate('user quota', { email: `${other}@example.org`, size: '10' })
    await ada.post(`${path}/transfer`, { json: { user: `${other}@example.org` } })
    const refused = await bob.post(`${path}/transfer/accept`)

    expect([refused.status, refused.body]).toMatchObject([507, { code: 'quota_exceeded' }])
    expect((await ada.get(path)).status).toBe(200)
  })

  it('are offered to one person: a second offer takes the place of the first', async () => {
    const { ada, bob, eve, path, other, third } = await setting()
    await ada.post(`${path}/transfer`, { json: { user: `${other}@example.org` } })
    await ada.post(`${path}/transfer`, { json: { user: `${third}@example.org` } })

    expect((await bob.post(`${path}/transfer/accept`)).status).toBe(403)
    expect((await eve.post(`${path}/transfer/accept`)).status).toBe(200)
  })

  it('can be taken back', async () => {
    const { ada, bob, path, other } = await setting()
    await ada.post(`${path}/transfer`, { json: { user: `${other}@example.org` } })
    expect((await ada.delete(`${path}/transfer`)).status).toBe(204)

    expect((await bob.post(`${path}/transfer/accept`)).status).toBe(403)
    expect((await ada.get(`${path}/transfer`)).status).toBe(404)
  })

  it('need no consent where an administrator asks', async () => {
    const { ada, bob, path, other } = await setting()
    const root = daemon.as('root', { admin: true })
    const done = await root.post(`${path}/transfer`, { json: { user: `${other}@example.org` } })

    expect([done.status, done.body]).toMatchObject([201, { status: 'done' }])
    expect((await bob.get(path)).status).toBe(200)
    expect((await ada.get(path)).status).toBe(403)
    const nobody = await root.post(`${path}/transfer`, { json: { user: 'no@example.org' } })
    expect(nobody.status).toBe(400)
  })
})
