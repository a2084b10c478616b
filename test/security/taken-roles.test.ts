import { afterAll, describe, expect, it } from 'vitest'
import { bodyOf } from '../support/http.ts'
import { runCli } from '../support/run-cli.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { trailOf } from '../support/trail.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon({ env: { DEPOSIT_QUOTA: '1000000' } })
afterAll(() => daemon[Symbol.asyncDispose]())

let settings = 0

/** A published deposit of Ada, shared with Eve, and the draft of its next version that Eve has opened. */
async function setting(role: 'owner' | 'editor' = 'editor') {
  settings += 1
  const [ada, eve, zoe] = ['ada', 'eve', 'zoe'].map((name) => daemon.as(name + settings)) as [
    User,
    User,
    User,
  ]
  const ids: string[] = []
  for (const user of [ada, eve, zoe])
    ids.push(bodyOf<{ readonly user: string }>(await user.get('/me'), 200).user)
  const draft = await ada.createDraftWith('a.txt')
  const first = `/deposits/${draft.id}`
  const give = async (by: User, path: string, name: string, wanted: string): Promise<void> => {
    const json = { user: `${name}${settings}@example.org`, role: wanted }
    bodyOf(await by.post(`${path}/people`, { json }), 201)
  }
  await give(ada, first, 'eve', role)
  await ada.publish(draft)
  const opened = await eve.post(`${first}/actions/newversion`)
  const next = `/deposits/${bodyOf<{ readonly id: string }>(opened, 201).id}`
  const rolesOn = async (path: string) =>
    bodyOf<readonly { readonly id: string; readonly role: string }[]>(
      await daemon.as('root', { admin: true }).get(`${path}/people`),
      200,
    ).map((person) => [['ada', 'eve', 'zoe'][ids.indexOf(person.id)], person.role])
  const [, eveId = ''] = ids
  const remove = (by: User, path: string) => by.delete(`${path}/people/${eveId}`)
  return { ada, eve, zoe, eveId, first, next, give, remove, rolesOn }
}

describe('a role that is taken from somebody', () => {
  it('is taken on the draft of the next version, too', async () => {
    const { ada, eve, eveId, first, next, remove } = await setting()
    expect((await eve.put(next, { title: 'By an editor' })).status).toBe(200)

    expect((await remove(ada, first)).status).toBe(204)

    expect((await eve.get(next)).status).toBe(403)
    expect((await eve.put(next, { title: 'By an ex-editor' })).status).toBe(403)
    expect((await eve.post(`${next}/actions/publish`)).status).toBe(403)
    expect((await eve.search('q=editor')).hits.total).toBe(0)
    expect((await ada.get(next)).body).toMatchObject({ metadata: { title: 'By an editor' } })
    const again = await ada.post(`${first}/actions/newversion`)
    expect(`/deposits/${bodyOf<{ readonly id: string }>(again, 201).id}`).toBe(next)
    const trail = await trailOf(daemon, { deposit: next.replace('/deposits/', '') })
    expect(trail.at(-1)).toMatchObject({
      what: 'DELETE /api/deposits/:pid_value/people/:id',
      object: `user:${eveId} role=none was=editor`,
    })
  })

  it('is lowered there where it is lowered', async () => {
    const { ada, eve, first, next, give, rolesOn } = await setting()
    await give(ada, first, 'eve', 'reader')

    expect(await rolesOn(next)).toEqual([
      ['ada', 'owner'],
      ['eve', 'reader'],
    ])
    expect((await eve.post(`${next}/actions/publish`)).status).toBe(403)
    await give(ada, first, 'eve', 'editor')
    expect(await rolesOn(next)).toContainEqual(['eve', 'reader'])
  })

  it('is taken there from owners, of whom one remains', async () => {
    const { ada, first, next, remove, rolesOn } = await setting('owner')
    expect((await remove(ada, first)).status).toBe(204)
    expect(await rolesOn(next)).toEqual([['ada', 'owner']])
  })

  it('stays on drafts that they own otherwise, or alone', async () => {
    const invited = await setting()
    await invited.give(invited.ada, invited.next, 'eve', 'owner')
    const removed = await invited.remove(invited.ada, invited.first)
    const draft = invited.next.replace('/deposits/', '')
    expect([removed.status, removed.headers.get('deposit-still-on')]).toEqual([204, draft])
    expect(await invited.rolesOn(invited.next)).toContainEqual(['eve', 'owner'])

    const alone = await setting('owner')
    expect((await alone.ada.delete(`${alone.next}/people/me`)).status).toBe(409)
    await alone.ada.post(`${alone.next}/transfer`, {
      json: { user: `eve${settings}@example.org` },
    })
    expect((await alone.eve.post(`${alone.next}/transfer/accept`)).status).toBe(200)
    expect((await alone.remove(alone.ada, alone.first)).status).toBe(204)
    expect(await alone.rolesOn(alone.next)).toEqual([['eve', 'owner']])
  })

  it('stays on drafts of another owner, and on versions that are published', async () => {
    const { ada, eve, zoe, first, next, remove, rolesOn } = await setting()
    await ada.post(`${next}/transfer`, { json: { user: `zoe${settings}@example.org` } })
    expect((await zoe.post(`${next}/transfer/accept`)).status).toBe(200)
    expect((await remove(ada, first)).status).toBe(204)
    expect(await rolesOn(next)).toContainEqual(['eve', 'editor'])

    const published = await setting()
    await published.ada.post(`${published.next}/actions/publish`)
    expect((await published.remove(published.ada, published.first)).status).toBe(204)
    expect(await published.rolesOn(published.next)).toContainEqual(['eve', 'editor'])
    expect((await eve.get(first)).status).toBe(403)
  })

  it('is taken there from somebody who gives it up', async () => {
    const { eve, first, next, rolesOn } = await setting()
    expect((await eve.delete(`${first}/people/me`)).status).toBe(204)
    expect(await rolesOn(next)).toEqual([['ada', 'owner']])
  })

  it('is taken there by the command that deposit unshare prints', async () => {
    const { ada, first, next, give, rolesOn } = await setting()
    await give(ada, next, 'eve', 'owner')
    const token = await daemon.operate('token create', {
      user: `ada${settings}@example.org`,
      scope: 'deposit:write deposit:actions',
      expires: 'never',
    })
    const environment = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: token }
    const [id, eve] = [first.replace('/deposits/', ''), `eve${settings}@example.org`]

    const { stderr } = await runCli(['unshare', id, eve], { environment })

    expect(await rolesOn(next)).toContainEqual(['eve', 'owner'])
    const [, command = ''] = /: deposit (unshare .+)/.exec(stderr) ?? []
    expect(await runCli(command.split(' '), { environment })).toMatchObject({ status: 0 })
    expect(await rolesOn(next)).toEqual([['ada', 'owner']])
  })
})
