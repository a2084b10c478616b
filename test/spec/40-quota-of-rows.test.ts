import { afterAll, describe, expect, it } from 'vitest'
import { invariants } from '../../core/adapters/database/row-invariants.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { fileRowBytes, rowBytes } from '../support/row-bytes.ts'
import { runBehind } from '../support/rows-behind.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'
import { append, begin, begun, tus } from '../uploads/tus-client.ts'

const daemon = await testDaemon()
afterAll(async () => {
  const sums = invariants.find(({ table }) => table === 'metadata_usage')
  expect(await runBehind(daemon.home, sums?.sql ?? '')).toEqual([])
  await daemon[Symbol.asyncDispose]()
})

let users = 0

/** A new user with a draft. */
async function setting() {
  users += 1
  const name = `user-${users}`
  const user = daemon.as(name)
  const draft = await user.createDraft({ title: 'Rows', creators: [{ name: 'Ada' }] })
  return { name, user, draft }
}

const used = async (user: User): Promise<number> =>
  bodyOf<{ readonly used: number }>(await user.get('/me'), 200).used

/** Lets a user have `more` bytes than they have. */
async function leave(name: string, more: number): Promise<number> {
  const all = (await used(daemon.as(name))) + more
  await daemon.operate('user quota', { email: `${name}@example.org`, size: String(all) })
  return all
}

/** Demands a refusal that tells the truth. */
async function expectRefusal(
  reply: Reply,
  user: User,
  added: number,
  way = '\\. To make room, ',
): Promise<void> {
  const figures = new RegExp(`: ${await used(user)} of them are used.* would add ${added}${way}`)
  expectProblem(reply, 'quota_exceeded', figures)
}

const rename = (user: User, { id }: DepositBody, from: string, to: string): Promise<Reply> =>
  user.put(`/deposits/${id}/files/${from}`, { filename: to })

describe('The quota', () => {
  it('ends a series of versions of an empty file, which make room again', async () => {
    const { name, user, draft } = await setting()
    const before = await used(user)
    await leave(name, fileRowBytes('a') + 9 * rowBytes + rowBytes - 1)

    const statuses: number[] = []
    let reply = await user.putObject(draft, 'a', '')
    for (; reply.status < 300; reply = await user.putObject(draft, 'a', '')) {
      statuses.push(reply.status)
      if (statuses.length > 20) throw new Error('none was refused')
    }

    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 200)])
    await expectRefusal(reply, user, rowBytes)
    await expectRefusal(await user.putObject(draft, 'bc', ''), user, fileRowBytes('bc'))
    const filled = before + fileRowBytes('a') + 9 * rowBytes
    expect(await used(user)).toBe(filled)
    expect((await user.delete(`/deposits/${draft.id}/files/a`)).status).toBe(204)
    expect(await used(user)).toBe(filled)
    expect((await user.delete(`/deposits/${draft.id}/trash`)).status).toBe(204)
    expect(await used(user)).toBe(before)
    for (let n = 0; n < 10; n += 1)
      expect((await user.putObject(draft, 'a', '')).status).toBe(n === 0 ? 201 : 200)
    expect((await user.putObject(draft, 'a', '')).status).toBe(507)
  })

  it('counts files that are deleted, and lets them give way to others', async () => {
    const { name, user, draft } = await setting()
    for (const key of ['a', 'b', 'c']) await user.putObject(draft, key, '')
    await leave(name, 0)
    const full = await used(user)
    expectProblem(await user.putObject(draft, 'd', ''), 'quota_exceeded', /would add 513/)
    for (const key of ['a', 'b'])
      expect((await user.delete(`/deposits/${draft.id}/files/${key}`)).status).toBe(204)

    expect((await user.putObject(draft, 'd', '')).status).toBe(201)
    const trash = bodyOf<FileBody[]>(await user.get(`/deposits/${draft.id}/trash`), 200)
    expect(trash.map(({ filename }) => filename)).toEqual(['b'])
    expect(await used(user)).toBe(full)
  })

  it('has room for the files of a new version, or refuses it', async () => {
    const { name, user, draft } = await setting()
    const keys = ['a', 'bc', 'ä.txt']
    for (const key of keys) await user.putObject(draft, key, 'x'.repeat(100))
    const published = await user.publish(draft)
    const ofRows = keys.reduce((sum, key) => sum + fileRowBytes(key), 0)
    const document = Buffer.byteLength(
      JSON.stringify({ title: 'Rows', creators: [{ name: 'Ada' }] }),
    )
    await leave(name, document + ofRows - 1)

    const refused = await user.act(published, 'newversion')
    expect(refused.body).toMatchObject({ status: 507, code: 'quota_exceeded' })
    const [, added = ''] = /would add (\d+)/.exec(JSON.stringify(refused.body)) ?? []
    const all = await leave(name, Number(added))
    expect(Number(added)).toBeGreaterThan(document + ofRows - 1)
    const next = bodyOf<DepositBody>(await user.act(published, 'newversion'), 201)
    expect(await used(user)).toBe(all)
    expect(await user.keys(next)).toEqual(keys)
    expect((await user.delete(`/deposits/${next.id}`)).status).toBe(204)
    expect(await used(user)).toBe(all - Number(added))
  })

  it('has room for what a new owner gets, or refuses the transfer', async () => {
    const [{ user, draft }, heir] = [await setting(), await setting()]
    await user.putObject(draft, 'a', '')
    await user.putObject(draft, 'a', '')
    await user.putObject(draft, 'deleted', '')
    await user.delete(`/deposits/${draft.id}/files/deleted`)
    const all = await used(user)
    const json = { user: `${heir.name}@example.org` }
    bodyOf(await user.post(`/deposits/${draft.id}/transfer`, { json }), 201)
    const accept = () => heir.user.post(`/deposits/${draft.id}/transfer/accept`)

    const before = await used(heir.user)
    // What is in the trash gives way, and nothing else.
    await leave(heir.name, all - fileRowBytes('deleted') - 1)
    const beyond = ', more than the whole quota. To make room, let an operator raise the quota'
    await expectRefusal(await accept(), heir.user, all, beyond)
    await leave(heir.name, all)
    expect((await accept()).status).toBe(200)
    expect([await used(user), await used(heir.user)]).toEqual([0, before + all])
  })

  it('holds for an earlier version that is brought back, and for longer names', async () => {
    const { name, user, draft } = await setting()
    const first = bodyOf<FileBody>(await user.putObject(draft, 'name', 'first'), 201)
    await user.putObject(draft, 'name', 'second')
    await leave(name, 0)

    const path = `/deposits/${draft.id}/file-versions/${first.version_id}`
    await expectRefusal(await user.post(path), user, rowBytes)
    await expectRefusal(await rename(user, draft, 'name', 'longer'), user, 2)
    expect((await rename(user, draft, 'name', 'new')).status).toBe(200)
    await user.delete(`/deposits/${draft.id}/files/new`)
    const [deleted] = bodyOf<FileBody[]>(await user.get(`/deposits/${draft.id}/trash`), 200)
    const restore = (filename: string) =>
      user.post(deleted?.links.self ?? '', { json: { filename } })
    await expectRefusal(await restore('longer'), user, 3)
    expect((await restore('name')).status).toBe(201)
    await leave(name, rowBytes)
    expect((await user.post(path)).status).toBe(200)
  })

  it('holds for uploads from their beginning, so that each can be finished', async () => {
    const { name, user, draft } = await setting()
    const size = 10
    const all = await leave(name, size + fileRowBytes('a.bin'))
    const url = await begun(user, draft, { size })
    expect(await used(user)).toBe(all)
    await expectRefusal(await begin(user, draft, { size }), user, size + fileRowBytes('a.bin'))
    const empty = await begin(user, draft, { size: 0, fields: { filename: 'b' } })
    await expectRefusal(empty, user, fileRowBytes('b'))

    expect((await append(user, url, 0, Buffer.alloc(size))).status).toBe(204)
    expect(await user.keys(draft)).toEqual(['a.bin'])
    expect(await used(user)).toBe(all)
    await leave(name, size + fileRowBytes('c'))
    const given = await begun(user, draft, { size, fields: { filename: 'c' } })
    expect((await user.send('DELETE', given, { headers: tus })).status).toBe(204)
    expect(await used(user)).toBe(all)
    expect((await begin(user, draft, { size: 0, fields: { filename: 'b' } })).status).toBe(201)
    expect(await used(user)).toBe(all + fileRowBytes('b'))
  })

  it('says how much more to delete where deleted files are kept, and then has room', async () => {
    const { name, user, draft } = await setting()
    for (const key of ['a', 'b', 'c']) await user.putObject(draft, key, 'x'.repeat(1000))
    const quota = (await leave(name, 0)) - 1500 - fileRowBytes('a')
    await daemon.operate('user quota', { email: `${name}@example.org`, size: String(quota) })
    const remove = (key: string) =>
      user.delete(`/files/${draft.links['bucket']?.split('/').at(-1)}/${key}`)
    expect((await remove('a')).status).toBe(204)

    const refused = await user.putObject(draft, 'd', '')
    const missing = 1500 + 2 * fileRowBytes('a')
    const more = missing - 1000 - fileRowBytes('a')
    expectProblem(refused, 'quota_exceeded', new RegExp(`not needed, ${more} bytes of them`))
    expect((await remove('b')).status).toBe(204)
    expect((await user.putObject(draft, 'd', '')).status).toBe(201)
  })

  it('counts long metadata of an upload until it is a file', async () => {
    const { name, user, draft } = await setting()
    const note = 'x'.repeat(9000)
    const before = await used(user)
    const url = await begun(user, draft, { size: 1, fields: { filename: 'a', note } })
    const stored = Buffer.byteLength(JSON.stringify({ filename: 'a', note }))
    expect(await used(user)).toBe(before + 1 + 'a'.length + stored)
    await leave(name, stored - 1)
    const refused = await begin(user, draft, { size: 1, fields: { filename: 'b', note } })
    await expectRefusal(refused, user, 1 + 'b'.length + stored)

    const added = await append(user, url, 0, Buffer.of(1))
    expect(added.status).toBe(204)
    expect(await used(user)).toBe(before + 1 + fileRowBytes('a'))
  })
})
