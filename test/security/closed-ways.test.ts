import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, send } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { trailOf } from '../support/trail.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon({ env: { DEPOSIT_FOREIGN_APIS: 'zenodo,rdm' } })
afterAll(() => daemon[Symbol.asyncDispose]())

const [ada, carol] = [daemon.as('ada'), daemon.as('carol')]
const root = daemon.as('root', { admin: true })

const closed = {
  title: 'Tides',
  creators: [{ name: 'Lovelace, Ada' }],
  resource_type: 'dataset',
  access: { files: 'restricted' },
}

async function closedRecord(): Promise<DepositBody> {
  const draft = await ada.createDraft(closed)
  await ada.addFile(draft, 'a.txt', 'secret')
  return ada.publish(draft)
}

async function give(by: User, id: string, name: string, role: string): Promise<void> {
  const reply = await by.post(`/deposits/${id}/people`, {
    json: { user: `${name}@example.org`, role },
  })
  expect(reply.status).toBe(201)
}

/** A request with the cookie of a new link. */
async function byLink(by: User, id: string, wanted: object) {
  const made = bodyOf<{ readonly url: string }>(
    await by.post(`/deposits/${id}/links`, { json: { expires: '2099-01-01', ...wanted } }),
    201,
  )
  const cookie = `deposit_link=${new URL(made.url).searchParams.get('key')}`
  return (path: string) =>
    send('GET', path.startsWith('/') ? daemon.url + path : path, { headers: { cookie } })
}

describe('Closed files of a record', () => {
  it('do not come into a draft by its editor, who has no role on the record', async () => {
    await carol.get('/me')
    const first = await closedRecord()
    const next = bodyOf<DepositBody>(
      await ada.post(`/deposits/${first.id}/actions/newversion`),
      201,
    )
    expect((await ada.delete(`/deposits/${next.id}/files/a.txt`)).status).toBe(204)
    for (const { id } of bodyOf<readonly { readonly id: string }[]>(
      await ada.get(`/deposits/${next.id}/trash`),
      200,
    ))
      await ada.delete(`/deposits/${next.id}/trash/${id}`)
    const [{ id: number } = { id: 0 }] = bodyOf<readonly { readonly id: number }[]>(
      await ada.get(`${daemon.origin}/zenodo/api/deposit/depositions?size=1`),
      200,
    )
    await give(ada, next.id, 'carol', 'editor')
    const at = `${daemon.origin}/rdm/api/records/${number}/draft/actions/files-import`

    expect((await carol.post(at)).status).toBe(403)
    expect(await ada.keys(next)).toEqual([])
    expect((await ada.post(at)).status).toBe(201)
  })

  it('are not opened by a correction in other words than those of access', async () => {
    const first = await closedRecord()
    const path = `/records/${first.metadata._deposit?.value}`
    const file = `${daemon.url}/files/${first.links['bucket']?.split('/').at(-1)}/a.txt`
    const corrections = [
      [{ op: 'replace', path: '/access', value: 'restricted' }],
      [
        { op: 'remove', path: '/access' },
        { op: 'add', path: '/access_right', value: 'closed' },
      ],
    ]
    for (const correction of corrections) {
      const refused = await root.patch(path, correction)
      expect([refused.status, refused.body]).toMatchObject([400, { code: 'invalid_document' }])
    }
    expect((await daemon.visitor.get(file)).status).toBe(403)
    expect((await root.patch(path, [{ op: 'remove', path: '/access' }])).status).toBe(400)
    expect((await daemon.visitor.get(file)).status).toBe(403)
    const value = { files: 'public' }
    expect((await root.patch(path, [{ op: 'replace', path: '/access', value }])).status).toBe(200)
    expect((await daemon.visitor.get(file)).status).toBe(200)
  })
})

describe('Whoever has a link', () => {
  it('gets no version of a file that was replaced', async () => {
    const draft = await ada.createDraft({ title: 'Tides' })
    await ada.putObject(draft, 'paper.txt', 'by Ada')
    const [before] = await ada.files(draft)
    await ada.putObject(draft, 'paper.txt', 'anonymous')
    const [latest] = await ada.files(draft)
    const get = await byLink(ada, draft.id, { role: 'reader', anonymous: true })
    const bucket = draft.links['bucket'] ?? ''

    expect((await get(`${bucket}?versions`)).status).toBe(403)
    expect((await get(`${bucket}/paper.txt?versionId=${before?.version_id}`)).status).toBe(404)
    const item = `/deposits/${draft.id}/files/paper.txt?download&versionId=${before?.version_id}`
    expect((await get(item)).status).toBe(404)
    const now = await get(`${bucket}/paper.txt?versionId=${latest?.version_id}`)
    expect([now.status, now.bytes.toString()]).toEqual([200, 'anonymous'])
  })

  it('is shut out once the owner who made it has handed the deposit over', async () => {
    await carol.get('/me')
    const { id } = await ada.createDraft()
    const get = await byLink(ada, id, { role: 'editor' })
    expect((await get(`/deposits/${id}`)).status).toBe(200)
    await ada.post(`/deposits/${id}/transfer`, { json: { user: 'carol@example.org' } })
    expect((await carol.post(`/deposits/${id}/transfer/accept`)).status).toBe(200)

    expect((await get(`/deposits/${id}`)).status).toBe(401)
    expect(bodyOf<readonly unknown[]>(await carol.get(`/deposits/${id}/links`), 200)).toEqual([])
  })
})

describe('A withdrawn record', () => {
  it('is shown to its owners and administrators, and to none of those it was shared with', async () => {
    await carol.get('/me')
    const deposit = await closedRecord()
    const { id } = deposit
    await give(ada, id, 'carol', 'reader')
    const get = await byLink(ada, id, { role: 'reader' })
    const bytes = `${deposit.links['bucket']}/a.txt`
    const seen = async () => [
      (await ada.get(bytes)).status,
      (await root.get(bytes)).status,
      (await carol.get(bytes)).status,
      (await carol.get(`/deposits/${id}`)).status,
      (await get(bytes)).status,
    ]
    expect(await seen()).toEqual([200, 200, 200, 200, 200])
    await ada.post(`/deposits/${id}/actions/withdraw`, { json: { reason: 'personal-data' } })

    expect(await seen()).toEqual([200, 200, 410, 403, 410])
  })
})

it('The audit trail says which roles an administrator gave', async () => {
  const { user } = bodyOf<{ readonly user: string }>(await carol.get('/me'), 200)
  const change = { roles: ['curator'], disabled: false }
  expect((await root.send('PATCH', `/admin/users/${user}`, { json: change })).status).toBe(200)

  const entries = (await trailOf(daemon)).filter(({ object }) => object === `user:${user}`)
  expect(entries.at(-1)?.what).toContain('roles=curator disabled=false')
})
