import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { announce } from '../../daemon/home/announcement.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { unless } from '../faults/obstacle.ts'
import {
  failCalls,
  failCallsOn,
  limitFiles,
  noFailingCalls,
  noFileLimit,
} from '../support/failing-calls.ts'
import { fillUp } from '../faults/room/small-disk.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'
import { lastingDaemon } from '../support/lasting-daemon.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it.skipIf(unless('a failing disk', noFailingCalls))(
  'refuses changes after a failed sync, and still serves reads',
  async () => {
    await using daemon = await lastingDaemon()
    const { owner } = daemon
    const draft = await owner.createDraftWith('a')
    {
      await using _ = await failCalls(daemon, 'fsync:error=EIO', 'fdatasync:error=EIO')
      const failed = await owner.put(`/deposits/${draft.id}`, { title: 'New' })
      expectProblem(failed, 'storage_failed')
      // The answer shows no internals: no path, no error of the system or of SQLite, no code.
      expect(failed.bytes.toString()).not.toMatch(/\/|EIO|sync|sql|at .*:\d/i)
    }
    // The disk works again, but its losses are unknown.
    expectProblem(await owner.put(`/deposits/${draft.id}`, { title: 'New' }), 'storage_degraded')
    const refused = await owner.upload(draft, 'b')
    expectProblem(refused, 'storage_degraded')
    expect(refused.headers.get('retry-after')).not.toBeNull()
    expect((await owner.show(draft)).metadata).toMatchObject({ title: 'Sea level' })
    expect((await owner.get(`/deposits/${draft.id}/files/a?download`)).bytes.toString()).toBe('a')
    const health = await owner.get(`${daemon.origin}/health`)
    expect(health.body).toMatchObject({ status: 'degraded' })
    expectProblem(await owner.get(`${daemon.origin}/ready`), 'storage_degraded')

    await daemon.kill()
    await daemon.start()
    expect((await owner.put(`/deposits/${draft.id}`, { title: 'New' })).status).toBe(200)
  },
)

it.skipIf(unless('a disk that fails under manifests', noFailingCalls))(
  'refuses changes after the sync of a manifest failed, and writes it at the next start',
  async () => {
    await using daemon = await lastingDaemon()
    const { owner } = daemon
    const records = join(daemon.home, 'records')
    const kept = async () => {
      const names = await readdir(records, { recursive: true }).catch(() => [])
      return names.filter((name) => name.endsWith('.json')).length
    }
    await owner.createPublished()
    await expect.poll(kept).toBe(1)
    const drafts = await Promise.all(Array.from({ length: 6 }, () => owner.createDraft()))
    let published = 0
    {
      // Their folders are made, but not durably: found later, each passes for one that is.
      await using _ = await failCallsOn(records, daemon, 'fsync:error=EIO')
      const answers = await Promise.all(drafts.map((draft) => owner.act(draft, 'publish')))
      published = answers.filter(({ status }) => status === 202).length
      const health = async () => (await owner.get(`${daemon.origin}/health`)).body
      await expect.poll(health).toMatchObject({ status: 'degraded' })
    }
    expect(await kept()).toBe(1)
    expect(daemon.log()).toMatch(/EIO/)
    const [draft] = drafts
    if (draft) expectProblem(await owner.act(draft, 'edit'), 'storage_degraded')

    await daemon.kill()
    await daemon.start()
    expect(published).toBeGreaterThan(0)
    await expect.poll(kept).toBe(1 + published)
  },
)

it.skipIf(unless('files that cannot grow', noFileLimit))(
  'answers 507 while no file may grow, and recovers afterwards',
  async () => {
    await using daemon = await lastingDaemon()
    const { owner } = daemon
    const draft = await owner.createDraftWith('a')
    limitFiles(daemon, '100000')
    expectProblem(await owner.upload(draft, 'b', 'x'.repeat(300_000)), 'storage_full')
    // The log of the database is longer than that already, or soon will be.
    const notes = 'x'.repeat(150_000)
    expectProblem(await owner.put(`/deposits/${draft.id}`, { notes }), 'storage_full')
    expect((await owner.get(`/deposits/${draft.id}/files/a?download`)).status).toBe(200)
    limitFiles(daemon, 'unlimited')
    expect((await owner.put(`/deposits/${draft.id}`, { notes })).status).toBe(200)
    expect((await owner.upload(draft, 'b', 'x'.repeat(300_000))).status).toBe(201)
  },
)

it.skipIf(!canMount())('starts and serves reads when the disk of its home is full', async () => {
  await using disk = await smallDisk('24m')
  const home = join(disk.path, 'home')
  await mkdir(home, { mode: 0o700 })
  await using daemon = await lastingDaemon({ home })
  const { owner } = daemon
  const draft = await owner.createDraftWith('a')
  await daemon.kill()
  // As after a move of the home: the file that names its stores has to be written again.
  await rm(join(home, 'stores.json'))
  await fillUp(join(disk.path, 'filling'))

  await daemon.start()

  expect((await owner.get(`/deposits/${draft.id}/files/a?download`)).bytes.toString()).toBe('a')
  expectProblem(await owner.upload(draft, 'b', 'x'.repeat(300_000)), 'storage_full')
})

it('serves when daemon.json cannot be written, and warns that commands do not find it', async () => {
  await using folder = await temporaryFolder()
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const home = homeAt(join(folder.path, 'full'))

  const announced = await announce(home, 'http://127.0.0.1:1', '1.0.0', logger)
  await announced[Symbol.asyncDispose]()

  expect(lines.join()).toMatch(/daemon\.json cannot be written: the daemon serves.* Make room/)
})
