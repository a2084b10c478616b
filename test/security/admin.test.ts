import { expect, it } from 'vitest'
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

it('Nobody but an administrator sees or changes users, and a change needs deposit:write', async () => {
  await using daemon = await testDaemon()
  const root = daemon.as('root', { admin: true })
  const reading = daemon.as('root', { admin: true, scopes: [] })
  const path = `/admin/users/${await idOf(root)}`
  const json = { roles: ['administrator'] }

  for (const user of [daemon.as('ada'), daemon.as('cora', { roles: ['curator', 'reviewer'] })]) {
    for (const list of [path, '/admin/users', '/admin/audit', '/admin/withdrawals'])
      expectProblem(await user.get(list), 'permission_denied')
    const own = `/admin/users/${await idOf(user)}`
    expectProblem(await user.send('PATCH', own, { json }), 'permission_denied')
    expect((await user.get('/me')).body).toMatchObject({ admin: false })
  }
  expectProblem(await reading.send('PATCH', path, { json }), 'insufficient_scope', /deposit:write/)
  expectProblem(await daemon.visitor.get('/admin/users'), 'unauthenticated', /./)
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
