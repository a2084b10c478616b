import { randomUUID } from 'node:crypto'
import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { invariants } from '../../core/adapters/database/row-invariants.ts'
import type { TrashBody } from '../../core/contract/history.ts'
import type { DepositBody, FileBody, ProblemBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { fileRowBytes, rowBytes } from '../support/row-bytes.ts'
import { runBehind } from '../support/rows-behind.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'
import { rowsLieElsewhere } from '../support/test-database.ts'
import { bytesLieElsewhere } from '../support/test-storage.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon({ env: { DEPOSIT_QUOTA: '1000000' } })
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const eve = daemon.as('eve')

type Named = Pick<DepositBody, 'id'>

const trash = async ({ id }: Named, user: User = ada): Promise<TrashBody> =>
  bodyOf(await user.get(`/deposits/${id}/trash`), 200)

const restore = ({ links }: TrashBody[number], json?: object, user = ada): Promise<Reply> =>
  user.post(links.self, json ? { json } : {})

const remove = async ({ id }: Named, key: string, user: User = ada): Promise<void> => {
  expect((await user.delete(`/deposits/${id}/files/${key}`)).status).toBe(204)
}

const content = async ({ id }: Named, key: string): Promise<string> =>
  (await ada.get(`/deposits/${id}/files/${key}?download`)).bytes.toString()

const used = async (user: User): Promise<number> =>
  bodyOf<{ readonly used: number }>(await user.get('/me'), 200).used

const isSound = async (of: TestDaemon): Promise<void> => {
  for (const { sql, message } of invariants)
    expect([message, await runBehind(of.home, sql)]).toEqual([message, []])
}

/** The only one. */
function sole<Item>([item, ...others]: readonly Item[]): Item {
  if (item === undefined || others.length > 0) throw new Error('one was expected')
  return item
}

describe('A file that was deleted from a draft', () => {
  it('is listed, and brought back to its place with all its versions', async () => {
    const draft = await ada.createDraftWith('a.csv', 'b.csv', 'c.csv')
    await ada.putObject(draft, 'b.csv', 'second')
    const [, file] = await ada.files(draft)
    await remove(draft, 'b.csv')
    expect(await ada.keys(draft)).toEqual(['a.csv', 'c.csv'])

    const deleted = sole(await trash(draft))
    expect(deleted).toMatchObject({ id: file?.id, filename: 'b.csv', filesize: 6 })
    expect(Date.parse(deleted.expires ?? '') - Date.parse(deleted.deleted)).toBe(30 * 86_400_000)

    const reply = await restore(deleted)
    expect(bodyOf<FileBody>(reply, 201)).toEqual(file)
    expect(reply.headers.get('location')).toBe(file?.links.self)
    expect(await ada.keys(draft)).toEqual(['a.csv', 'b.csv', 'c.csv'])
    expect(await content(draft, 'b.csv')).toBe('second')
    const versions = bodyOf<FileBody[]>(await ada.get(`${draft.links['bucket']}?versions`), 200)
    expect(versions.filter(({ filename }) => filename === 'b.csv')).toHaveLength(2)
    expect(await trash(draft)).toEqual([])
    await isSound(daemon)
  })

  it('comes back under another name where its own is taken', async () => {
    const draft = await ada.createDraftWith('a.csv')
    await remove(draft, 'a.csv')
    await ada.addFile(draft, 'a.csv', 'newer')
    const deleted = sole(await trash(draft))

    const taken = await restore(deleted)
    expect(bodyOf<ProblemBody>(taken, 400)).toMatchObject({
      code: 'file_already_exists',
      message:
        'The deposit already has a file named "a.csv". Send another name as `filename`, or rename that file first.',
    })
    expect(bodyOf<ProblemBody>(await restore(deleted, { filename: '../b' }), 400).code).toBe(
      'wrong_file',
    )
    expect((await restore(deleted, { filename: 'old.csv' })).status).toBe(201)
    expect(await content(draft, 'old.csv')).toBe('a.csv')
    expect(await content(draft, 'a.csv')).toBe('newer')
    expect((await restore(deleted)).status).toBe(404)

    // The other advice.
    await remove(draft, 'old.csv')
    await ada.addFile(draft, 'old.csv', 'newest')
    const again = sole(await trash(draft))
    expect((await restore(again)).status).toBe(400)
    await ada.put(`/deposits/${draft.id}/files/old.csv`, { filename: 'newest.csv' })
    expect((await restore(again)).status).toBe(201)
    expect(await content(draft, 'old.csv')).toBe('a.csv')
  })

  it('is for those who may change the draft alone, and gone with it', async () => {
    const draft = await ada.createDraftWith('a.csv')
    await remove(draft, 'a.csv')
    const deleted = sole(await trash(draft))
    expect((await eve.get(`/deposits/${draft.id}/trash`)).status).toBe(403)
    expect((await restore(deleted, {}, eve)).status).toBe(403)
    expect((await eve.delete(deleted.links.self)).status).toBe(403)
    const reader = daemon.as('ada', { scopes: [] })
    expect((await restore(deleted, {}, reader)).status).toBe(403)

    const before = await daemon.storedBytes()
    await ada.delete(`/deposits/${draft.id}`)
    expect(await daemon.storedBytes()).toHaveLength(before.length - 1)
    await isSound(daemon)
  })

  it('is kept out of sight with a draft that can be brought back', async () => {
    const draft = await ada.createDraftWith('a.csv')
    await remove(draft, 'a.csv')
    await ada.delete(`/deposits/${draft.id}?force=false`)
    await daemon.operate('undelete', { id: draft.id })
    expect((await restore(sole(await trash(draft)))).status).toBe(201)
    expect(await content(draft, 'a.csv')).toBe('a.csv')
  })

  it('can be removed for good, alone or with all others', async () => {
    const draft = await ada.createDraftWith('a.csv', 'b.csv', 'c.csv')
    const before = await daemon.storedBytes()
    for (const key of ['a.csv', 'b.csv', 'c.csv']) await remove(draft, key)
    expect(await daemon.storedBytes()).toEqual(before)

    const [last] = await trash(draft)
    expect(last?.filename).toBe('c.csv')
    expect((await ada.delete(last?.links.self ?? '')).status).toBe(204)
    expect(await daemon.storedBytes()).toHaveLength(before.length - 1)
    expect((await ada.delete(`/deposits/${draft.id}/trash`)).status).toBe(204)
    expect(await daemon.storedBytes()).toHaveLength(before.length - 3)
    expect(await trash(draft)).toEqual([])
    await isSound(daemon)
  })

  it('cannot be brought back into what was published', async () => {
    const draft = await ada.createDraftWith('a.csv', 'b.csv')
    await ada.put(`/deposits/${draft.id}`, { title: 'x', creators: [{ name: 'Ada' }] })
    await remove(draft, 'b.csv')
    const deleted = sole(await trash(draft))
    await ada.publish(draft)
    expect(bodyOf<ProblemBody>(await restore(deleted), 403).errors).toMatchObject([
      { actions: ['newversion'] },
    ])
  })

  it('is gone with the bytes of a withdrawn record, in whatever draft it was', async () => {
    const draft = await ada.createDraftWith('secret.csv')
    await ada.put(`/deposits/${draft.id}`, { title: 'x', creators: [{ name: 'Ada' }] })
    const published = await ada.publish(draft)
    const next = bodyOf<DepositBody>(await ada.act(published, 'newversion'), 201)
    await remove(next, 'secret.csv')
    expect(await trash(next)).toHaveLength(1)
    const before = await daemon.storedBytes()
    const json = { reason: 'personal-data', destroy_bytes: true }
    bodyOf(await ada.post(`/deposits/${published.id}/actions/withdraw`, { json }), 202)
    expect(await trash(next)).toEqual([])
    expect(await daemon.storedBytes()).toHaveLength(before.length - 1)
    await isSound(daemon)
  })

  it('gives way to what its owner needs the quota for, and not before', async () => {
    const bob = daemon.as('bob')
    const draft = await bob.createDraft()
    const half = 'x'.repeat(450_000)
    for (const key of ['a', 'b']) await bob.addFile(draft, key, half)
    await remove(draft, 'a', bob)
    await remove(draft, 'b', bob)
    expect((await bob.upload(draft, 'large', 'x'.repeat(1_100_000))).status).toBe(507)
    expect(await trash(draft, bob)).toHaveLength(2)

    await bob.addFile(draft, 'c', half)
    expect((await trash(draft, bob)).map(({ filename }) => filename)).toEqual(['b'])
    const json = { title: 'x'.repeat(200_000) }
    bodyOf(await bob.put(`/deposits/${draft.id}`, json), 200)
    expect(await trash(draft, bob)).toEqual([])
    expect(await used(bob)).toBeLessThan(1_000_000)
    await isSound(daemon)
  })

  it('leaves the history of a full quota room for what is saved', async () => {
    const carol = daemon.as('carol')
    const draft = await carol.createDraft()
    for (let n = 0; n < 12; n += 1) {
      const json = { title: 'x'.repeat(400_000), n }
      bodyOf(await carol.put(`/deposits/${draft.id}`, json), 200)
      bodyOf(await carol.put(`/deposits/${draft.id}`, {}), 200)
    }
    expect(await used(carol)).toBeLessThanOrEqual(1_000_000)
    const last = bodyOf<readonly unknown[]>(await carol.get(`/deposits/${draft.id}/history`), 200)
    expect(last.length).toBeGreaterThan(0)
    await isSound(daemon)
  })
})

describe('Deleted files', () => {
  it('are not kept where the operator says so', async () => {
    await using strict = await testDaemon({ env: { DEPOSIT_RETENTION_DAYS: '0' } })
    const user = strict.as('ada')
    const draft = await user.createDraftWith('a.csv')
    await remove(draft, 'a.csv', user)
    expect(await trash(draft, user)).toEqual([])
    expect(await strict.storedBytes()).toEqual([])
  })

  const isElsewhere = bytesLieElsewhere() || rowsLieElsewhere() || !canMount()
  it.skipIf(isElsewhere)('give way on a full disk, and are not kept on a short one', async () => {
    const MB = 1_000_000
    await using disk = await smallDisk('256m')
    await using small = await testDaemon({ home: disk.path })
    const user = small.as('ada')
    const draft = await user.createDraft()
    const bytes = 'x'.repeat(20 * MB)
    for (const key of ['a', 'b', 'c']) await user.addFile(draft, key, bytes)
    await remove(draft, 'a', user)
    await remove(draft, 'b', user)
    expect(await trash(draft, user)).toHaveLength(2)

    const { bavail, bsize } = await statfs(disk.path)
    await writeFile(join(disk.path, 'ballast'), Buffer.alloc(bavail * bsize - 8 * 2 ** 20 - 9 * MB))
    await user.addFile(draft, 'd', bytes)
    expect((await trash(draft, user)).map(({ filename }) => filename)).toEqual(['b'])
    await remove(draft, 'c', user)
    expect((await trash(draft, user)).map(({ filename }) => filename)).toEqual(['b'])
    await user.addFile(draft, 'e', bytes)
    expect((await trash(draft, user)).map(({ filename }) => filename)).toEqual(['b'])
    await isSound(small)
  })
})

describe('A file that was replaced in a draft', () => {
  const versionsOf = async ({ links }: Pick<DepositBody, 'links'>): Promise<readonly FileBody[]> =>
    bodyOf(await ada.get(`${links['bucket']}?versions`), 200)
  const bringBack = ({ id }: Named, version: string | undefined, headers = {}): Promise<Reply> =>
    ada.send('POST', `/deposits/${id}/file-versions/${version}`, { headers })

  it('is what it was again, and what took its place is kept', async () => {
    const draft = await ada.createDraftWith('a.csv')
    const first = bodyOf<FileBody>(await ada.putObject(draft, 'data/b.csv', 'first'), 201)
    await ada.putObject(draft, 'data/b.csv', 'the second')
    const before = {
      used: await used(ada),
      revision: bodyOf<DepositBody>(await ada.get(`/deposits/${draft.id}`), 200).revision,
    }

    const reply = await bringBack(draft, first.version_id)

    const back = bodyOf<FileBody>(reply, 200)
    expect(back).toMatchObject({ id: first.id, filesize: 5, checksum: first.checksum })
    expect(back.version_id).not.toBe(first.version_id)
    expect(reply.headers.get('deposit-revision')).toBe(String(before.revision + 1))
    expect(await content(draft, 'data/b.csv')).toBe('first')
    const sizes = (await versionsOf(draft)).filter(({ id }) => id === first.id)
    expect(sizes.map(({ filesize }) => filesize)).toEqual([5, 10, 5])
    expect(await used(ada)).toBe(before.used + rowBytes)
    await isSound(daemon)
  })

  it('frees its bytes once, when it is deleted for good with all its versions', async () => {
    const draft = await eve.createDraft()
    const before = await used(eve)
    const first = bodyOf<FileBody>(await eve.putObject(draft, 'a', 'first'), 201)
    await eve.putObject(draft, 'a', 'the second')
    expect((await eve.post(`/deposits/${draft.id}/file-versions/${first.version_id}`)).status).toBe(
      200,
    )
    expect(await used(eve)).toBe(before + 15 + fileRowBytes('a') + 2 * rowBytes)

    await remove(draft, 'a', eve)
    await restore(sole(await trash(draft, eve)), undefined, eve)
    expect(
      bodyOf<FileBody[]>(await eve.get(`${draft.links['bucket']}?versions`), 200),
    ).toHaveLength(3)
    await remove(draft, 'a', eve)
    expect((await eve.delete(`/deposits/${draft.id}/trash`)).status).toBe(204)

    expect(await used(eve)).toBe(before)
    await isSound(daemon)
  })

  it('stays where the version is its latest, or of no file of it', async () => {
    const draft = await ada.createDraftWith('a.csv', 'b.csv')
    const [a] = await ada.files(draft)
    const { revision } = bodyOf<DepositBody>(await ada.get(`/deposits/${draft.id}`), 200)

    expect(bodyOf(await bringBack(draft, a?.version_id), 200)).toEqual(a)
    // Of a file of another deposit, of none, and none at all.
    const [other] = await ada.files(await ada.createDraftWith('a.csv'))
    for (const version of [other?.version_id, randomUUID(), 'previous'])
      expectProblem(await bringBack(draft, version), 'version_not_found')
    expect(
      await ada
        .get(`/deposits/${draft.id}`)
        .then((reply) => bodyOf<DepositBody>(reply, 200).revision),
    ).toBe(revision)
  })

  it('stays where the deposit changed, was published, or belongs to somebody else', async () => {
    const draft = await ada.createDraft()
    const first = bodyOf<FileBody>(await ada.putObject(draft, 'a', 'first'), 201)
    await ada.putObject(draft, 'a', 'second')
    const stale = await bringBack(draft, first.version_id, { 'if-match': '"0"' })
    expectProblem(stale, 'stale_revision', /revision/)
    const byEve = await eve.post(`/deposits/${draft.id}/file-versions/${first.version_id}`)
    expect(byEve.status).toBe(403)
    await ada.publish(draft)
    expectProblem(await bringBack(draft, first.version_id), 'invalid_action')
    expect(await content(draft, 'a')).toBe('second')
  })

  it('is deleted only while it has the bytes that the request names', async () => {
    const draft = await ada.createDraft()
    const first = bodyOf<FileBody>(await ada.putObject(draft, 'a', 'first'), 201)
    const second = bodyOf<FileBody>(await ada.putObject(draft, 'a', 'second'), 200)
    const removeAs = ({ checksum, links }: FileBody) =>
      ada.send('DELETE', links.download, { headers: { 'if-match': `"${checksum}"` } })

    expectProblem(
      await removeAs({ ...first, links: second.links }),
      'stale_revision',
      /file has changed/,
    )
    expect(await content(draft, 'a')).toBe('second')
    expect((await removeAs(second)).status).toBe(204)
  })
})
