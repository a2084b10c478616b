import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon({
  env: { DEPOSIT_QUOTA: '1000000', DEPOSIT_REVIEW: 'optional' },
})
afterAll(() => daemon[Symbol.asyncDispose]())

let settings = 0

/** A published deposit of Ada, who may share it with Eve. */
async function setting(role?: 'owner' | 'editor') {
  settings += 1
  const [ada, eve] = [daemon.as(`ada${settings}`), daemon.as(`eve${settings}`)]
  const idOf = async (user: User) =>
    bodyOf<{ readonly user: string }>(await user.get('/me'), 200).user
  const [adaId, eveId] = [await idOf(ada), await idOf(eve)]
  const draft = await ada.createDraftWith('a.txt')
  const email = `eve${settings}@example.org`
  const give = async (by: User, { id }: { readonly id: string }, wanted: string) =>
    bodyOf(await by.post(`/deposits/${id}/people`, { json: { user: email, role: wanted } }), 201)
  if (role) await give(ada, draft, role)
  const first = await ada.publish(draft)
  const open = async (by: User) => bodyOf<DepositBody>(await by.act(first, 'newversion'), 201)
  const remove = async (by: User, { id }: { readonly id: string }, user: string) =>
    expect((await by.delete(`/deposits/${id}/people/${user}`)).status).toBe(204)
  return { ada, eve, adaId, eveId, email, first, give, open, remove }
}

/** A draft of the next version that is Eve's alone, of a record that she has lost. */
async function takenDraft() {
  const all = await setting('owner')
  const { ada, eve, adaId, eveId, first, open, remove } = all
  const next = await open(eve)
  await remove(eve, next, adaId)
  return { ...all, next, lose: () => remove(ada, first, eveId) }
}

const notShared = /newest version of this record is not shared with you.*ask an owner/

describe('the next version of a record', () => {
  it('goes to the new owner with the record', async () => {
    const { ada, eve, email, first, open } = await setting()
    const next = await open(ada)
    const path = `/deposits/${first.id}/transfer`
    bodyOf(await ada.post(path, { json: { user: email } }), 201)
    bodyOf(await eve.post(`${path}/accept`), 200)

    expect((await ada.act(next, 'publish')).status).toBe(403)
    expect((await open(eve)).id).toBe(next.id)
    expect((await eve.act(next, 'publish')).status).toBe(202)
  })

  it('goes along where an administrator hands the record over', async () => {
    const { ada, eve, email, first, open } = await setting()
    const next = await open(ada)
    const root = daemon.as('root', { admin: true })
    bodyOf(await root.post(`/deposits/${first.id}/transfer`, { json: { user: email } }), 201)

    expect((await ada.get(`/deposits/${next.id}`)).status).toBe(403)
    expect((await eve.act(next, 'publish')).status).toBe(202)
  })

  it('is published by nobody who has lost the record', async () => {
    const { ada, eve, first, next, lose, give } = await takenDraft()
    const rehearse = async (by: User) =>
      bodyOf<RehearsalBody>(await by.get(`/deposits/${next.id}/actions/publish`), 200)
    expect((await rehearse(eve)).publishable).toBe(true)
    await lose()

    const { errors } = await rehearse(eve)
    expect(errors).toMatchObject([{ code: 'permission_denied', field: 'publish' }])
    expect(errors[0]?.message).toMatch(notShared)
    for (const action of ['publish', 'submit']) {
      const refused = await eve.act(next, action)
      expect([refused.status, refused.body]).toMatchObject([403, { code: 'permission_denied' }])
      expect((refused.body as { readonly message: string }).message).toMatch(notShared)
    }
    // The advice.
    await give(ada, first, 'editor')
    expect((await rehearse(eve)).errors).toEqual([])
    expect((await eve.act(next, 'publish')).status).toBe(202)
  })

  it('is accepted of nobody who has lost the record', async () => {
    const { ada, eve, first, next, lose, give } = await takenDraft()
    const { revision } = bodyOf<{ readonly revision: number }>(await eve.act(next, 'submit'), 201)
    await lose()

    const rob = daemon.as('rob', { roles: ['reviewer'] })
    const accept = () => rob.post(`/deposits/${next.id}/actions/accept`, { json: { revision } })
    expect(await accept()).toMatchObject({ status: 403 })
    // The advice.
    await give(ada, first, 'editor')
    expect(await accept()).toMatchObject({ status: 202 })
  })

  it('is not begun from an old version by those who have lost the newest', async () => {
    const { ada, eve, eveId, first, open, remove, give } = await setting('editor')
    const second = await ada.publish(await open(ada))
    await remove(ada, second, eveId)

    const refused = await eve.act(first, 'newversion')
    expect(refused.status).toBe(403)
    expect((refused.body as { readonly message: string }).message).toMatch(notShared)
    // The advice.
    await give(ada, second, 'editor')
    expect((await eve.act(first, 'newversion')).status).toBe(201)
  })
})
