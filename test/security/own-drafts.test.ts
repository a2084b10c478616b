import { afterAll, describe, expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'required' } })
afterAll(() => daemon[Symbol.asyncDispose]())

const bob = daemon.as('bob')
const rev = daemon.as('rev', { roles: ['reviewer'] })

async function submitted(id: string): Promise<object> {
  const { revision } = bodyOf<{ readonly revision: number }>(
    await bob.post(`/deposits/${id}/actions/submit`),
    201,
  )
  return { json: { revision } }
}

async function outcome(by: User, id: string, sent: object): Promise<unknown> {
  const { status, body } = await by.post(`/deposits/${id}/actions/accept`, sent)
  return [status, (body as { readonly code?: string }).code]
}

async function userOf(user: User): Promise<string> {
  return bodyOf<{ readonly user: string }>(await user.get('/me'), 200).user
}

describe('A reviewer who could change a draft', () => {
  it.each(['removed', 'made a reader', 'gone by themselves'])(
    'and is %s does not accept it, whatever they changed',
    async (end) => {
      const { id } = await bob.createDraftWith('a.txt')
      const path = `/deposits/${id}/people`
      const give = (role: string) => bob.post(path, { json: { user: 'rev@example.org', role } })
      await userOf(rev)
      await give('editor')
      // Files leave no row in the history of the document.
      await rev.putObject(await rev.show({ id }), 'b.txt', 'mine')
      if (end === 'removed') await bob.delete(`${path}/${await userOf(rev)}`)
      else if (end === 'made a reader') await give('reader')
      else await rev.delete(`${path}/me`)

      expect(await outcome(rev, id, await submitted(id))).toEqual([403, 'permission_denied'])
      const other = daemon.as('other', { roles: ['reviewer'] })
      const { revision } = await bob.show({ id })
      expect(await outcome(other, id, { json: { revision } })).toEqual([202, undefined])
    },
  )

  it('does not accept what an account of theirs made that was merged into this one', async () => {
    const eve = daemon.as('eve')
    const { id } = await eve.createDraft({ title: 'Tides' })
    await userOf(bob)
    await eve.post(`/deposits/${id}/transfer`, { json: { user: 'bob@example.org' } })
    expect((await bob.post(`/deposits/${id}/transfer/accept`)).status).toBe(200)
    await submitted(id)
    const merge = ['user', 'merge', 'eve@example.org', 'rev@example.org']
    expect(await runDepositd(daemon.home, merge)).toMatchObject({ status: 0 })

    const { revision } = await bob.show({ id })
    expect(await outcome(rev, id, { json: { revision } })).toEqual([403, 'permission_denied'])
  })
})
