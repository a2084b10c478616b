import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { advice } from '../../daemon/advice.ts'
import { listeningUrl, runDepositd, spawnDepositd } from '../support/depositd.ts'
import { bodyOf, send } from '../support/http.ts'
import { signInByDevice } from '../support/sign-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { trailIn, trailOf, type Entry } from '../support/trail.ts'

describe('the audit trail', () => {
  it('records who did what, when and from where, with the id of the request', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const { user } = (await ada.get('/me')).body as { readonly user: string }
    const { id } = await ada.createDraft()

    await ada.post(`/deposits/${id}/actions/publish`)

    const entries = await trailOf(daemon)
    expect(entries).toContainEqual({
      id: expect.stringMatching(/^[\da-f]{28}$/) as unknown,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      who: user,
      email: 'ada@example.org',
      token: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
      what: 'POST /api/deposits/:pid_value/actions/publish',
      on: `/api/deposits/${id}/actions/publish`,
      deposit: id,
      was: 0,
      revision: 1,
      object: expect.stringMatching(/^record:/) as unknown,
      status: 202,
      from: '127.0.0.1',
      request_id: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
    })
    expect(entries).toContainEqual(
      expect.objectContaining({
        who: 'owner',
        what: `depositd user add email=${user}`,
        object: `user:${user}`,
      }),
    )
  })

  it('names the deposits and files that were made, and how a deposit was deleted', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.addFile(draft, 'tides é.csv', 'a')
    await ada.putObject(draft, 'levels.csv', 'b')
    await ada.delete(`/deposits/${draft.id}?force=false`)

    const entries = await trailOf(daemon, { deposit: draft.id })
    expect(entries).toHaveLength(4)
    expect(entries).toMatchObject([
      { on: '/api/deposits/', deposit: draft.id, revision: 0, status: 201 },
      { deposit: draft.id, was: 0, revision: 1, files: ['tides é.csv'], status: 201 },
      { deposit: draft.id, was: 1, revision: 2, files: ['levels.csv'] },
      { deposit: draft.id, on: `/api/deposits/${draft.id}?force=false`, status: 204 },
    ])
  })

  it('records successful and refused sign-ins', async () => {
    await using daemon = await testDaemon()
    await signInByDevice(daemon)
    const headers = { authorization: 'Bearer dep_pt_none' }

    await send('GET', `${daemon.url}/deposits/`, { headers })

    const entries = await trailOf(daemon)
    expect(entries).toContainEqual(
      expect.objectContaining({ what: 'issued tokens (device_code)', on: 'deposit-cli' }),
    )
    expect(entries).toContainEqual(expect.objectContaining({ on: '/api/deposits/', status: 401 }))
  })

  it('hides nobody behind another whose request has the same id', async () => {
    await using daemon = await testDaemon()
    const users = ['ada', 'eve'].map((name) => daemon.as(name))
    const drafts = await Promise.all(users.map((user) => user.createDraftWith('a.txt')))
    const headers = { 'x-request-id': 'the-same' }
    // It changes no row, so it is gathered, as sign-ins in a browser are.
    for (const [at, draft] of drafts.entries())
      expect(await users[at]?.post(`${draft.links['bucket']}/a.txt`, { headers })).toMatchObject({
        status: 201,
      })

    const found = (await trailOf(daemon)).filter(({ request_id: id }) => id === 'the-same')
    expect(new Set(found.map(({ email }) => email))).toEqual(
      new Set(['ada@example.org', 'eve@example.org']),
    )
  })
})

describe('the audit trail of operator’s commands', () => {
  it('records each command with its options, with or without a daemon', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    const email = 'ada@example.org'
    await runDepositd(home, ['init'])
    await runDepositd(home, ['user', 'add', email])
    await runDepositd(home, ['user', 'link', 'nobody@example.org'])
    const daemon = spawnDepositd(home, ['serve', '--port', '0'])
    await listeningUrl(daemon)
    await runDepositd(home, ['user', 'disable', email])
    await runDepositd(home, ['user', 'link', 'eve@example.org'])
    // Refusals are gathered for a while; whoever reads the trail has them written first.
    await trailIn(home)
    await runDepositd(home, ['check'])
    const to = 'postgres://me:secret@127.0.0.1:1/none'
    expect((await runDepositd(home, ['move', '--to', to])).status).toBe(75)
    daemon.kill()
    await daemon.ended
    await runDepositd(home, ['move', '--to', to])
    await runDepositd(home, ['restore', '/none'])
    await runDepositd(home, ['gc'])

    const moved = 'depositd move to=postgres://127.0.0.1:1/none'
    const found = await trailIn(home)
    const said = (entry: Entry): string =>
      `${entry.who}: ${entry.what} ${entry.failed ?? ''}`.trim()
    const id = /email=([\da-f-]{36})$/.exec(found[1]?.what ?? '')?.[1]

    // Readings are gathered for a while, and may be written after what follows them.
    const reading = 'owner: depositd audit'
    expect(found.map(said)).toContain(reading)
    expect(found.map(said).filter((each) => each !== reading)).toEqual([
      'owner: depositd init',
      `owner: depositd user add email=${id}`,
      'owner: depositd user link email=… There is no user … See depositd user list.',
      `owner: depositd user disable email=${id}`,
      'owner: depositd user link email=… There is no user … See depositd user list.',
      'owner: depositd check depth=full quarantine=true',
      expect.stringMatching(
        new RegExp(
          `^owner: ${moved} Another depositd uses ${home} \\(process \\d+, http.*\\)\\. ${advice.stopDaemon()}$`,
        ),
      ),
      `owner: ${moved} postgres://127.0.0.1:1/none cannot be reached: connect ECONNREFUSED 127.0.0.1:1.`,
      'owner: depositd restore source=/none /none is not a backup, or is incomplete.',
      'owner: depositd gc',
    ])
  })
})

it('A command that failed is told without the e-mail address in its message', async () => {
  await using daemon = await testDaemon()
  await daemon.operate('user disable', { email: 'nobody@example.org' }).catch(() => undefined)

  const entries = await trailOf(daemon)
  expect(entries.find(({ failed }) => failed !== undefined)?.failed).toContain('There is no user …')
  expect(JSON.stringify(entries)).not.toContain('nobody@example.org')
})

describe('the audit trail of a deposit', () => {
  async function setting() {
    const daemon = await testDaemon()
    const ada = daemon.as('ada')
    const [bob, eve] = [daemon.as('bob'), daemon.as('eve')]
    const idOf = async (user: typeof ada) =>
      bodyOf<{ readonly user: string }>(await user.get('/me'), 200).user
    const ids = { ada: await idOf(ada), bob: await idOf(bob), eve: await idOf(eve) }
    const draft = await ada.createDraft()
    const path = `/deposits/${draft.id}`
    /** What each entry of the deposit is about, but that of its creation. */
    const told = async () => (await trailOf(daemon, { deposit: draft.id })).slice(1)
    return { daemon, ada, bob, eve, ids, draft, path, told }
  }

  it('says who was given which role, or lost it, and to whom it was offered', async () => {
    const { daemon, ada, bob, eve, ids, draft, path, told } = await setting()
    await using _ = daemon
    const give = (name: string, role: string) =>
      ada.post(`${path}/people`, { json: { user: `${name}@example.org`, role } })
    const offer = (name: string) =>
      ada.post(`${path}/transfer`, { json: { user: `${name}@example.org` } })
    await give('bob', 'editor')
    const lines = await daemon.operateAll('audit', { deposit: draft.id })
    expect(lines.join('\n')).toContain(`revision 0 to 1; user:${ids.bob} role=editor; 201`)
    await give('bob', 'reader')
    const late = bodyOf<{ readonly id: string }>(await give('late', 'reader'), 201)
    await ada.delete(`${path}/people/${late.id}`)
    await offer('eve')
    await ada.delete(`${path}/transfer`)
    await bob.delete(`${path}/people/me`)
    await offer('eve')
    await eve.post(`${path}/transfer/accept`)

    expect((await told()).map(({ object }) => object)).toEqual([
      `user:${ids.bob} role=editor`,
      `user:${ids.bob} role=reader was=editor`,
      `user:${late.id} role=reader`,
      `user:${late.id} role=none was=reader`,
      `user:${ids.eve} offer=made`,
      `user:${ids.eve} offer=ended`,
      `user:${ids.bob} role=none was=reader`,
      `user:${ids.eve} offer=made`,
      `user:${ids.ada} role=none was=owner, user:${ids.eve} role=owner, user:${ids.eve} offer=ended`,
    ])
  })

  it('says which links were made, opened and revoked', async () => {
    const { daemon, ada, path, told } = await setting()
    await using _ = daemon
    const make = async (json: object) =>
      bodyOf<{ readonly id: string; readonly url: string }>(
        await ada.post(`${path}/links`, { json }),
        201,
      )
    const editor = await make({ role: 'editor' })
    const hidden = await make({ role: 'reader', anonymous: true })
    expect((await fetch(editor.url, { redirect: 'manual' })).status).toBe(303)
    await ada.delete(`${path}/links/${hidden.id}`)

    const entries = await told()
    expect(entries.map(({ who, object }) => object ?? who)).toHaveLength(4)
    expect(entries).toContainEqual(
      expect.objectContaining({ object: `link:${editor.id} role=editor`, status: 201 }),
    )
    expect(entries).toContainEqual(
      expect.objectContaining({ object: `link:${hidden.id} role=reader anonymous`, status: 201 }),
    )
    expect(entries).toContainEqual(
      expect.objectContaining({ who: `link:${editor.id}`, what: 'opened a link' }),
    )
    expect(entries).toContainEqual(
      expect.objectContaining({
        object: `link:${hidden.id} role=reader anonymous revoked`,
        status: 204,
      }),
    )
  })

  it('says which links ended with the ownership of those who made them', async () => {
    const { daemon, ada, eve, ids, path, told } = await setting()
    await using _ = daemon
    const make = async (user: typeof ada, role: string) => {
      const made = await user.post(`${path}/links`, { json: { role } })
      return `link:${bodyOf<{ readonly id: string }>(made, 201).id} role=${role} revoked`
    }
    const address = { user: 'eve@example.org' }
    await ada.post(`${path}/people`, { json: { ...address, role: 'owner' } })
    const kept = await make(ada, 'reader')
    const ended = [await make(eve, 'reader'), await make(eve, 'editor')]
    expect((await ada.delete(`${path}/people/${ids.eve}`)).status).toBe(204)
    await ada.post(`${path}/transfer`, { json: address })
    bodyOf(await eve.post(`${path}/transfer/accept`), 200)

    const objects = (await told()).map(({ object }) => object?.split(', ').toSorted())
    expect(objects).toContainEqual([`user:${ids.eve} role=none was=owner`, ...ended].toSorted())
    expect(objects).toContainEqual(
      [
        `user:${ids.ada} role=none was=owner`,
        `user:${ids.eve} role=owner`,
        `user:${ids.eve} offer=ended`,
        kept,
      ].toSorted(),
    )
  })

  it('names the files that came out of the trash, by both names, and those that are gone', async () => {
    const { daemon, ada, draft, path, told } = await setting()
    await using _ = daemon
    for (const key of ['a.txt', 'b.txt', 'c.txt']) await ada.putObject(draft, key, key)
    const ids = new Map((await ada.files(draft)).map(({ id, filename }) => [filename, id]))
    const at = (key: string) => `${path}/trash/${ids.get(key)}`
    for (const { links } of await ada.files(draft)) await ada.delete(links.self)
    const before = (await told()).length
    expect((await ada.post(at('a.txt'), { json: { filename: 'w.txt' } })).status).toBe(201)
    expect((await ada.delete(at('b.txt'))).status).toBe(204)
    expect((await ada.delete(`${path}/trash`)).status).toBe(204)

    expect((await told()).slice(before)).toMatchObject([
      { on: `/api${at('a.txt')}`, files: ['a.txt', 'w.txt'] },
      { on: `/api${at('b.txt')}`, files: ['b.txt'] },
      { on: `/api${path}/trash`, files: ['c.txt'] },
    ])
  })
})
