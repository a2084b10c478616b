import { readdir, rm, statfs, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'
import { rowsLieElsewhere } from '../support/test-database.ts'
import { bytesLieElsewhere } from '../support/test-storage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'
import { begun, tus } from '../uploads/tus-client.ts'

const MB = 1_000_000

describe.skipIf(!canMount() || bytesLieElsewhere())('A full disk', () => {
  const stack = new AsyncDisposableStack()
  let daemon: TestDaemon
  let ada: User
  beforeAll(async () => {
    // Nearly full from the start; 8 MiB are kept in reserve.
    const { path } = stack.use(await smallDisk('256m'))
    await leave(8 * MB + 8 * 2 ** 20, join(path, 'ballast'))
    daemon = stack.use(await testDaemon({ home: path }))
    ada = daemon.as('ada')
  })
  afterAll(() => stack.disposeAsync())

  const bytes = (size: number) => Buffer.alloc(size, 'x')

  it.for(['form', 'raw'])(
    'answers an upload (%s) with 507, and keeps nothing of it',
    async (way) => {
      const draft = await ada.createDraft()
      const send = (key: string, size: number) =>
        way === 'form'
          ? ada.upload(draft, key, bytes(size))
          : ada.putObject(draft, key, bytes(size))
      expect((await send('a', 3 * MB)).status).toBe(201)
      const before = await ada.state(draft)
      const stored = await daemon.storedBytes()

      expectProblem(await send('b', 6 * MB), 'storage_full')
      expect(await ada.state(draft)).toEqual(before)
      expect(await daemon.storedBytes()).toEqual(stored)
      const download = await ada.get(`/deposits/${draft.id}/files/a?download`)
      expect(download.bytes.equals(bytes(3 * MB))).toBe(true)
      expect((await ada.delete(`/deposits/${draft.id}`)).status).toBe(204)
    },
  )

  it('that uploads have filled still allows changes and deletions, which free space', async () => {
    const published = await ada.createPublished()
    const draft = await ada.createDraft()
    const asked = { json: { name: 'to be revoked', scope: 'openid' } }
    const token = bodyOf<{ readonly id: string; readonly token: string }>(
      await ada.post('/tokens/', asked),
      201,
    )
    const revoked = new User(daemon.url, async () => token.token)
    const sizes = [MB, MB / 10]
    for (const size of sizes) {
      for (let index = 0; ; index += 1) {
        const reply = await ada.upload(draft, `${size}-${index}`, bytes(size))
        if (reply.status !== 201) {
          expectProblem(reply, 'storage_full')
          break
        }
      }
    }

    // Uploads are refused, so the disk is a fault; all else can be done.
    await expect
      .poll(async () => (await ada.get(`${daemon.origin}/health`)).body)
      .toMatchObject({ status: 'degraded', faults: ['disk'] })
    expect((await ada.get(`${daemon.origin}/ready`)).status).toBe(200)

    const change = () => ada.put(`/deposits/${draft.id}`, { title: 'Changed' })
    // Uploads do not use the reserve; rows may use a part of it.
    expect((await change()).status).toBe(200)
    await ada.edit(published)
    expect((await ada.act(published, 'discard')).status).toBe(201)
    expect((await ada.delete(`/tokens/${token.id}`)).status).toBe(204)
    expect((await revoked.get('/deposits/')).status).toBe(401)
    expect((await ada.delete(`/deposits/${draft.id}/files/${MB}-0`)).status).toBe(204)
    expect((await ada.upload(draft, 'again', bytes(MB / 4))).status).toBe(201)
    expect((await ada.delete(`/deposits/${draft.id}`)).status).toBe(204)
  })

  it.skipIf(rowsLieElsewhere())(
    'that other programs have filled to half of the reserve keeps the rest for deletions',
    async () => {
      const draft = await ada.createDraftWith('a', 'b')
      const edited = await ada.edit(await ada.createPublished())
      const upload = await begun(ada, draft, { size: MB })
      const filler = join(daemon.home, 'filler')
      await leave(3 * MB, filler)
      // The free space is checked four times a second.
      await expect
        .poll(async () => (await ada.put(`/deposits/${draft.id}`, { title: 'New' })).status)
        .toBe(507)

      const renamed = ada.put(`/deposits/${draft.id}/files/a`, { filename: 'c' })
      expectProblem(await renamed, 'storage_full')
      expectProblem(await ada.act(draft, 'publish'), 'storage_full')
      expect(await ada.keys(draft)).toEqual(['a', 'b'])
      expect((await ada.delete(upload, tus)).status).toBe(204)
      expect((await ada.act(edited, 'discard')).status).toBe(201)
      expect((await ada.delete(`/deposits/${draft.id}/files/a`)).status).toBe(204)
      expect((await ada.delete(`/deposits/${draft.id}`)).status).toBe(204)

      await rm(filler)
    },
  )

  it.skipIf(rowsLieElsewhere())(
    'that other programs have filled to the last byte refuses changes with 507 and allows reading',
    async () => {
      const draft = await ada.createDraft()
      const before = await ada.state(draft)
      const filler = join(daemon.home, 'filler')
      await fill(filler)

      const change = () => ada.put(`/deposits/${draft.id}`, { notes: 'x'.repeat(200_000) })
      expectProblem(await change(), 'storage_full')
      expectProblem(await ada.upload(draft, 'a'), 'storage_full')
      expect(await ada.state(draft)).toEqual(before)
      await expect
        .poll(async () => (await ada.get(`${daemon.origin}/health`)).body)
        .toMatchObject({ status: 'degraded', faults: ['disk'] })
      const ready = () => ada.get(`${daemon.origin}/ready`)
      await expect.poll(async () => (await ready()).status).toBe(503)
      expectProblem(
        await ready(),
        'storage_degraded',
        'The disk is full; it can be read, not written.',
      )

      await rm(filler)
      await expect
        .poll(async () => (await ada.get(`${daemon.origin}/health`)).body)
        .toMatchObject({ status: 'ok' })
      await expect.poll(async () => (await change()).status).toBe(200)
      await expect.poll(async () => (await ada.upload(draft, 'a')).status).toBe(201)
    },
  )
})

it.skipIf(!canMount() || bytesLieElsewhere())(
  'a manifest that does not fit is no error, and is written with the next change once there is space',
  async () => {
    await using home = await temporaryFolder()
    await using disk = await smallDisk('1m')
    await symlink(disk.path, join(home.path, 'records'))
    await fill(join(disk.path, 'filler'))
    await using daemon = await testDaemon({ home: home.path })
    const ada = daemon.as('ada')

    const { metadata } = await ada.publish(await ada.createDraft())
    const folder = join(disk.path, String(metadata._deposit?.value))
    // Created before its file, for which there is no space.
    await expect.poll(() => readdir(folder).catch(() => undefined)).toEqual([])
    await rm(join(disk.path, 'filler'))
    await ada.createDraft()

    await expect.poll(() => readdir(folder)).toEqual(['0.json'])
  },
)

/** Takes every block except those of the last `left` bytes. */
async function leave(left: number, path: string): Promise<void> {
  const { bavail, bsize } = await statfs(join(path, '..'))
  await writeFile(path, Buffer.alloc(bavail * bsize - Math.ceil(left)))
}

/** Takes every block, even while others take or free some. */
async function fill(path: string): Promise<void> {
  const written = leave(-MB, path)
  await expect(written).rejects.toMatchObject({ code: 'ENOSPC' })
}
