import { expect, it } from 'vitest'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import type { UserBody } from '../../core/contract/admin-schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

interface Users {
  readonly total: number
  readonly users: readonly UserBody[]
}

const idOf = async (user: User): Promise<string> =>
  bodyOf<{ readonly user: string }>(await user.get('/me'), 200).user

it('An administrator sees the users, and changes roles and quota of one, or disables them', async () => {
  await using daemon = await testDaemon()
  const root = daemon.as('root', { admin: true })
  const ada = daemon.as('ada')
  const path = `/admin/users/${await idOf(ada)}`

  const change = { roles: ['curator'], quota: 5000 }
  const changed = await root.send('PATCH', path, { json: change })
  expect(bodyOf<UserBody>(changed, 200)).toMatchObject({ ...change, email: 'ada@example.org' })
  expect((await ada.get('/me')).body).toMatchObject({ roles: ['curator'], quota: 5000 })
  const found = bodyOf<Users>(await root.get('/admin/users?q=ADA'), 200)
  expect(found).toMatchObject({ total: 1, users: [change] })
  await root.send('PATCH', path, { json: { quota: null, disabled: true } })
  expectProblem(await ada.get('/me'), 'unauthenticated', /./)
  await root.send('PATCH', path, { json: { disabled: false } })
  expect((await ada.get('/me')).body).toMatchObject({ roles: ['curator'] })
  const trail = bodyOf(await root.get(`/admin/audit?user=${await idOf(root)}`), 200)
  expect(trail).toMatchObject(
    Array(3).fill({ email: 'root@example.org', object: path.replace('/admin/users/', 'user:') }),
  )
})

it('The last administrator cannot be disabled, or lose the role', async () => {
  await using daemon = await testDaemon()
  const root = daemon.as('root', { admin: true })
  const path = `/admin/users/${await idOf(root)}`

  for (const json of [{ disabled: true }, { roles: [] }])
    expectProblem(
      await root.send('PATCH', path, { json }),
      'permission_denied',
      /last administrator/,
    )
  expect((await root.get('/me')).body).toMatchObject({ admin: true })
})

it('Nobody but an administrator with deposit:write sees or changes users, trail and lists', async () => {
  await using daemon = await testDaemon()
  const root = daemon.as('root', { admin: true })
  const signedIn = daemon.as('root', { admin: true, scopes: [] })
  const acting = daemon.as('root', { admin: true, scopes: [actionsScope] })
  const path = `/admin/users/${await idOf(root)}`
  const json = { roles: ['administrator'] }
  const admin = daemon.routes.filter(
    ({ method, url }) => method === 'GET' && url.startsWith('/api/admin/'),
  )
  const lists = admin.map(({ url }) => url.replace('/api', '').replace('/users/:id', path.slice(6)))
  expect(lists).toContain(path)

  for (const user of [daemon.as('ada'), daemon.as('cora', { roles: ['curator', 'reviewer'] })]) {
    for (const list of lists) expectProblem(await user.get(list), 'permission_denied')
    const own = `/admin/users/${await idOf(user)}`
    expectProblem(await user.send('PATCH', own, { json }), 'permission_denied')
    expect((await user.get('/me')).body).toMatchObject({ admin: false })
  }
  for (const user of [signedIn, acting]) {
    for (const list of lists)
      expectProblem(await user.get(list), 'insufficient_scope', /deposit:write/)
    expectProblem(await user.send('PATCH', path, { json }), 'insufficient_scope', /deposit:write/)
  }
  for (const list of lists) expect((await root.get(list)).status).toBe(200)
  expectProblem(await daemon.visitor.get('/admin/users'), 'unauthenticated', /./)
})

it('Roles are given with deposit:actions, the rest without', async () => {
  await using daemon = await testDaemon()
  const writing = daemon.as('root', { admin: true, scopes: [writeScope] })
  const path = `/admin/users/${await idOf(daemon.as('ada'))}`
  const change = (json: object) => writing.send('PATCH', path, { json })

  for (const roles of [['administrator'], ['curator'], []])
    expectProblem(await change({ roles, quota: 5000 }), 'insufficient_scope', /deposit:actions/)
  expect(bodyOf(await writing.get(path), 200)).toMatchObject({ roles: [], quota: null })
  expect(bodyOf(await change({ quota: 5000 }), 200)).toMatchObject({ quota: 5000 })
  // The advice: a token with the scope.
  const acting = daemon.as('root', { admin: true })
  const given = await acting.send('PATCH', path, { json: { roles: ['curator'] } })
  expect(bodyOf(given, 200)).toMatchObject({ roles: ['curator'] })
})

it('An administrator sees how much waits: reviews, invitations, deleted files', async () => {
  await using daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
  const root = daemon.as('root', { admin: true })
  const ada = daemon.as('ada')
  const none = { submitted: 0, invitations: 0, trash: { count: 0, size: 0 } }
  expect(bodyOf(await root.get('/admin/work'), 200)).toMatchObject(none)
  const draft = await ada.createDraftWith('a.txt')
  await ada.delete(`/deposits/${draft.id}/files/a.txt`)
  for (const [name, role] of [
    ['zoe', 'reader'],
    ['zoe', 'editor'],
    ['yan', 'reader'],
  ])
    await ada.post(`/deposits/${draft.id}/people`, { json: { user: `${name}@example.org`, role } })
  await ada.post(`/deposits/${draft.id}/actions/submit`)

  const some = { submitted: 1, invitations: 2, trash: { count: 1, size: 5 } }
  expect(bodyOf(await root.get('/admin/work'), 200)).toMatchObject({
    ...some,
    identifiers: { pending: 0, refused: 0, paused: [] },
  })
  const by = { id: await idOf(ada), email: 'ada@example.org' }
  expect(bodyOf(await root.get('/admin/invitations'), 200)).toMatchObject({
    total: 2,
    invitations: [
      { email: 'yan@example.org', by },
      { email: 'zoe@example.org', by },
    ],
  })
  await daemon.as('zoe').get('/me')
  expect(bodyOf(await root.get('/admin/invitations'), 200)).toMatchObject({ total: 1 })
})

it('An administrator finds the records that were withdrawn', async () => {
  await using daemon = await testDaemon()
  const root = daemon.as('root', { admin: true })
  const ada = daemon.as('ada')
  const deposit = await ada.createPublished()
  await ada.post(`/deposits/${deposit.id}/actions/withdraw`, { json: { reason: 'spam' } })

  const found = bodyOf(await root.get('/admin/withdrawals'), 200)

  const record = deposit.links['record']?.split('/').at(-1)
  expect(found).toMatchObject([{ record, deposit: deposit.id, reason: 'spam', by: 'owner' }])
})
