import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { writeScope } from '../../core/contract/scopes.ts'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { startInstitution } from '../support/institution.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

interface Me {
  readonly admin: boolean
  readonly roles: readonly string[]
}

const meOf = (reply: Reply): Me => bodyOf<Me>(reply, 200)

describe('depositd role', () => {
  it('grants and revokes roles, while the daemon runs, and shows them', async () => {
    await using daemon = await testDaemon()
    const [cora, root] = [daemon.as('cora'), daemon.as('root', { admin: true })]
    expect(meOf(await cora.get('/me'))).toMatchObject({ admin: false, roles: [] })
    expect(meOf(await root.get('/me'))).toMatchObject({ admin: true, roles: ['administrator'] })
    const role = (...given: readonly string[]) =>
      runDepositd(daemon.home, ['role', ...given, '--json'])

    const granted = await role('grant', 'cora@example.org', 'curator')
    await role('grant', 'cora@example.org', 'curator')
    await role('grant', 'cora@example.org', 'reviewer')
    await role('grant', 'cora@example.org', 'administrator')

    expect(granted.status).toBe(0)
    expect(JSON.parse(granted.stdout)).toEqual({
      email: 'cora@example.org',
      admin: false,
      roles: ['curator'],
    })
    const all = { admin: true, roles: ['administrator', 'curator', 'reviewer'] }
    expect(meOf(await cora.get('/me'))).toMatchObject(all)
    const listed: unknown = JSON.parse(
      (await runDepositd(daemon.home, ['user', 'list', '--json'])).stdout,
    )
    expect(listed).toContainEqual(expect.objectContaining({ email: 'cora@example.org', ...all }))

    await role('revoke', 'cora@example.org', 'administrator')
    await role('revoke', 'cora@example.org', 'curator')
    const last = await role('revoke', 'root@example.org', 'administrator')
    expect(meOf(await cora.get('/me'))).toMatchObject({ admin: false, roles: ['reviewer'] })
    expect(last.status).toBe(1)
    expect(JSON.parse(last.stdout)).toMatchObject({
      error: { message: expect.stringContaining('is the last administrator') as unknown },
    })
    const unknown = await role('grant', 'cora@example.org', 'king')
    expect(unknown.stdout).toContain(
      'There is no role \\"king\\": use administrator, curator, reviewer.',
    )
  })

  it('works without a daemon', async () => {
    await using folder = await temporaryFolder()
    await runDepositd(folder.path, ['init'])
    await runDepositd(folder.path, ['user', 'add', 'cora@example.org'])

    const granted = await runDepositd(folder.path, ['role', 'grant', 'cora@example.org', 'curator'])

    expect(granted).toMatchObject({ status: 0 })
    expect(granted.stderr).toContain('cora@example.org is a curator now.')
    const list = await runDepositd(folder.path, ['user', 'list'])
    expect(list.stdout).toContain('cora@example.org\tcurator\tactive')
  })
})

describe('A curator', () => {
  it('reads what was published with its deposit, and nothing that never was', async () => {
    await using daemon = await testDaemon()
    const [ada, cora] = [daemon.as('ada'), daemon.as('cora', { roles: ['curator'] })]
    const draft = await ada.createDraftWith('secret.csv')
    const published = await ada.publish(await ada.createDraftWith('levels.csv'))

    expect(bodyOf<DepositBody>(await cora.get(`/deposits/${published.id}`), 200).id).toBe(
      published.id,
    )
    await ada.edit(published)
    await ada.put(`/deposits/${published.id}`, { title: 'Better levels' })
    const seen = bodyOf<DepositBody>(await cora.get(`/deposits/${published.id}`), 200)
    expect(seen).toMatchObject({ metadata: { title: 'Better levels' } })
    expect((await cora.get(`/deposits/${published.id}/files`)).status).toBe(200)
    for (const path of [`/deposits/${draft.id}`, `/deposits/${draft.id}/files`])
      expectProblem(await cora.get(path), 'permission_denied')
    expectProblem(await cora.get(draft.links['bucket'] ?? ''), 'permission_denied')
    expectProblem(await cora.put(`/deposits/${published.id}`, { title: 'x' }), 'permission_denied')
    expectProblem(await cora.act(published, 'publish'), 'permission_denied')
    expectProblem(await cora.act(published, 'discard'), 'permission_denied')
    expectProblem(await cora.delete(`/deposits/${draft.id}`), 'permission_denied')
  })

  it('corrects records with deposit:write, and withdraws and restores them', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_WITHDRAWAL_DAYS: '0' } })
    const ada = daemon.as('ada')
    const cora = daemon.as('cora', { roles: ['curator'] })
    const reading = daemon.as('cora', { roles: ['curator'], scopes: [] })
    const deposit = await ada.createPublished({ title: 'Sea level' })
    const record = deposit.links['record'] ?? ''
    const withdrawal = { json: { reason: 'copyright' } }
    const withdraw = `/deposits/${deposit.id}/actions/withdraw`

    expectProblem(await reading.put(record, { title: 'x' }), 'insufficient_scope', /deposit:/)
    expectProblem(await reading.post(withdraw, withdrawal), 'insufficient_scope', /deposit:/)
    expect((await cora.put(record, { title: 'Sea level, corrected' })).status).toBe(200)
    const changed = [{ op: 'replace', path: '/title', value: 'Sea levels' }]
    expect((await cora.patch(record, changed)).body).toMatchObject({
      metadata: { title: 'Sea levels' },
      revision: 2,
    })
    expectProblem(await ada.post(withdraw, withdrawal), 'permission_denied', /A? curator/i)
    expect((await cora.post(withdraw, withdrawal)).body).toMatchObject({
      withdrawn: { by: 'curator' },
    })
    expectProblem(
      await ada.post(`/deposits/${deposit.id}/actions/restore-record`),
      'permission_denied',
      /withdrawn by a curator/,
    )
    expect((await cora.post(`/deposits/${deposit.id}/actions/restore-record`)).status).toBe(201)
    expect((await daemon.visitor.get(record)).status).toBe(200)
  })

  it('loses all of it with the role, and with a token for another deposit alone', async () => {
    await using daemon = await testDaemon()
    const cora = daemon.as('cora', { roles: ['curator'] })
    const own = await cora.createDraft()
    const deposit = await daemon.as('ada').createPublished()
    const record = deposit.links['record'] ?? ''
    const narrow = daemon.as('cora', { roles: ['curator'], deposit: own.id })

    expectProblem(await narrow.put(record, { title: 'x' }), 'permission_denied', /single deposit/)
    expectProblem(
      await narrow.get(`/deposits/${deposit.id}`),
      'permission_denied',
      /single deposit/,
    )
    await daemon.operate('role revoke', { email: 'cora@example.org', role: 'curator' })

    expectProblem(await cora.put(record, { title: 'x' }), 'permission_denied')
    expectProblem(await cora.get(`/deposits/${deposit.id}`), 'permission_denied')
  })
})

it('A reviewer has no right to what others have, as long as it is not submitted', async () => {
  await using daemon = await testDaemon()
  const reviewer = daemon.as('rolf', { roles: ['reviewer'] })
  const deposit = await daemon.as('ada').createPublished()

  expectProblem(await reviewer.get(`/deposits/${deposit.id}`), 'permission_denied')
  expectProblem(
    await reviewer.put(deposit.links['record'] ?? '', { title: 'x' }),
    'permission_denied',
  )
})

describe('Claims of an external issuer', () => {
  it('give roles by the configuration, as long as the token has them', async () => {
    await using institution = await startInstitution()
    const wanted = { curator: ['groups=library', 'title=curator'], reviewer: 'groups=faculty' }
    const env = { ...institution.env, DEPOSIT_ISSUER_ROLES: JSON.stringify(wanted) }
    await using daemon = await testDaemon({ env })
    const ask = async (claims: Readonly<Record<string, string | readonly string[]>>) => {
      const token = await institution.mint({ claims })
      return meOf(
        await send('GET', `${daemon.url}/me`, { headers: { authorization: `Bearer ${token}` } }),
      )
    }

    expect(await ask({ title: 'curator' })).toMatchObject({ admin: false, roles: ['curator'] })
    const all = await ask({ groups: ['deposit-admins', 'faculty', 'library'] })
    expect(all.admin).toBe(true)
    expect(new Set(all.roles)).toEqual(new Set(['administrator', 'curator', 'reviewer']))
    expect(await ask({ groups: 'library-friends' })).toMatchObject({ admin: false, roles: [] })
  })

  it('show in the list of users, and give personal tokens no role', async () => {
    await using institution = await startInstitution()
    const env = { ...institution.env, DEPOSIT_ISSUER_ROLES: '{"curator": "groups=library"}' }
    await using daemon = await testDaemon({ env })
    const claims = { groups: ['library'], email: 'ada@uni.example' }
    const token = await institution.mint({ claims })
    const headers = { authorization: `Bearer ${token}` }
    expect(meOf(await send('GET', `${daemon.url}/me`, { headers })).roles).toEqual(['curator'])

    const value = await daemon.operate('token create', {
      user: 'ada@uni.example',
      scope: writeScope,
    })

    const personal = { authorization: `Bearer ${value}` }
    expect(meOf(await send('GET', `${daemon.url}/me`, { headers: personal })).roles).toEqual([])
    const [line = ''] = await daemon.operateAll('user list')
    expect(line.split('\t').slice(1, 3)).toEqual(['ada@uni.example', 'curator by claim'])
  })
})
