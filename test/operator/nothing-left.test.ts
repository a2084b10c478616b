import { expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf, send } from '../support/http.ts'
import { startInstitution } from '../support/institution.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { dumpOf, filesWith, tablesOf } from '../support/traces.ts'
import { User } from '../support/user.ts'

const email = 'augusta@uni.example'
const name = 'Augusta Byron-King'
const subject = 'subject-of-augusta-1815'
const bobs = { user: 'bob@example.org' }

/** Lets somebody leave a mark wherever the service keeps what people do. */
async function leaveMarks(daemon: TestDaemon, ada: User): Promise<string> {
  const bob = daemon.as('bob')
  await bob.get('/me')
  const { user } = bodyOf<{ readonly user: string }>(await ada.get('/me'), 200)
  const done = async (reply: Promise<{ readonly status: number }>) =>
    expect((await reply).status).toBeLessThan(300)
  const at = ({ id }: Pick<DepositBody, 'id'>, path: string) => `/deposits/${id}${path}`

  // Her own: a record with an edit, a draft with all that belongs to one, one that is deleted.
  const published = await ada.publish(await ada.createDraftWith('levels.csv'))
  await ada.edit(published)
  await ada.put(`/deposits/${published.id}`, { title: 'Levels, again' })
  await ada.publish(published)
  const withdrawn = await ada.publish(await ada.createDraft())
  await done(ada.post(at(withdrawn, '/actions/withdraw'), { json: { reason: 'test' } }))
  const own = await ada.createDraftWith('a.txt', 'b.txt')
  await done(ada.post(at(own, '/people'), { json: { ...bobs, role: 'editor' } }))
  const invited = { user: 'zoe@example.org', role: 'reader' }
  await done(ada.post(at(own, '/people'), { json: invited }))
  await done(ada.post(at(own, '/links'), { json: { role: 'reader', label: `From ${name}` } }))
  await done(ada.post(at(own, '/transfer'), { json: bobs }))
  await ada.put(`/deposits/${own.id}`, { title: 'Tides' })
  await done(ada.delete(at(own, '/files/a.txt')))
  await done(ada.post(at(own, '/comments'), { json: { text: 'Which gauge?' } }))
  const upload = { 'tus-resumable': '1.0.0', 'upload-length': '2' }
  const headers = { ...upload, 'upload-metadata': 'filename Yw==' }
  await done(ada.post(at(own, '/uploads'), { headers }))
  const bucket = own.links['bucket'] ?? ''
  await done(ada.post(`${bucket}/b.txt`))
  const hidden = await ada.createDraft()
  await ada.delete(`/deposits/${hidden.id}?force=false`)
  const rdm = `${daemon.origin}/rdm/api/records`
  const made = await ada.post(rdm, { json: { metadata: { title: 'Announced' } } })
  const { id: number } = bodyOf<{ readonly id: string }>(made, 201)
  await done(ada.post(`${rdm}/${number}/draft/files`, { json: [{ key: 'later.csv' }] }))
  await done(ada.post('/tokens/', { json: { name: `The laptop of ${name}`, scope: '' } }))
  const repeatable = { 'idempotency-key': 'one' }
  await done(ada.post('/deposits/', { json: { title: 'Once' }, headers: repeatable }))

  // Those of others: as an editor, as one who was offered a deposit, as a reviewer.
  const shared = await bob.createDraftWith('c.txt')
  await done(bob.post(at(shared, '/people'), { json: { user: email, role: 'editor' } }))
  await ada.put(`/deposits/${shared.id}`, { title: 'Changed' })
  await done(ada.delete(at(shared, '/files/c.txt')))
  await done(ada.post(at(shared, '/comments'), { json: { text: 'Changed it.' } }))
  const offered = await bob.createDraft()
  await done(bob.post(at(offered, '/transfer'), { json: { user: email } }))
  const returned = await bob.createDraft()
  await done(bob.post(at(returned, '/actions/submit')))
  await done(ada.post(at(returned, '/actions/return'), { json: { message: 'Why?' } }))
  const accepted = await bob.createDraft()
  await done(bob.post(at(accepted, '/actions/submit')))
  const { revision } = await bob.show(accepted)
  await done(ada.post(at(accepted, '/actions/accept'), { json: { revision } }))
  expect((await ada.get(`/deposits/${offered.id}`)).status).toBe(403)
  return user
}

it('depositd user delete leaves an opaque id of somebody who shared, invited, announced and reviewed', async () => {
  await using institution = await startInstitution()
  await using daemon = await testDaemon({
    env: { ...institution.env, DEPOSIT_REVIEW: 'optional', DEPOSIT_FOREIGN_APIS: 'rdm' },
  })
  const order = { sub: subject, scope: 'deposit:write deposit:actions', claims: { email, name } }
  const token = await institution.mint(order)
  const ada = new User(daemon.url, async () => token)
  await ada.get('/me')
  await daemon.operate('role grant', { email, role: 'reviewer' })
  const user = await leaveMarks(daemon, ada)
  const before = await dumpOf(daemon)
  for (const trace of [email, name, subject]) expect(before).toContain(trace)

  const heir = ['--deposits-to', 'bob@example.org']
  const deleted = await runDepositd(daemon.home, ['user', 'delete', email, ...heir])

  expect(deleted.stderr).not.toContain('Error')
  expect(deleted).toMatchObject({ status: 0 })
  const tables = await tablesOf(daemon)
  for (const trace of [email, name, subject]) {
    const holding = Object.keys(tables).filter((table) => tables[table]?.includes(trace))
    expect([trace, holding]).toEqual([trace, []])
    await expect.poll(() => filesWith(daemon.home, trace)).toEqual([])
  }
  expect(daemon.warnings().filter((line) => line.includes(email))).toEqual([])
  // The manual lists them. What is made of records to be searched has what they have.
  const rows = Object.keys(tables).filter((table) => !table.startsWith('search_'))
  const withId = rows.filter((table) => tables[table]?.includes(user))
  expect(withId.toSorted()).toEqual([
    'audit',
    'deposits',
    'history',
    'links',
    'record_revisions',
    'review_comments',
    'trashed_files',
  ])
  const check = await runDepositd(daemon.home, ['check'])
  expect(check).toMatchObject({ status: 0, stdout: '' })
  // The person may come back, as somebody else.
  const headers = { authorization: `Bearer ${token}` }
  const again = bodyOf<{ readonly user: string }>(
    await send('GET', `${daemon.url}/me`, { headers }),
    200,
  )
  expect(again.user).not.toBe(user)
})
