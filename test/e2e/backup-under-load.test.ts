import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { unless } from '../faults/obstacle.ts'
import { runDepositd, spawnDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createDraft, freshDaemon, runningDaemon, type RunningDaemon } from './running-daemon.ts'

const noDisk =
  process.platform === 'linux' && process.getuid?.() === 0
    ? undefined
    : 'mounting a small tmpfs needs root on Linux'

describe('a backup of a daemon during uploads', () => {
  it('has every file acknowledged before it began, and restores to a sound home', async () => {
    await using place = await temporaryFolder()
    await using daemon = await freshDaemon()
    const token = await daemon.token()
    const load = startLoad(daemon, token)
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(20)

    const before = [...load.acknowledged]
    const backup = await runDepositd(daemon.home, ['backup', join(place.path, 'b')])
    await load.stop()

    const home = join(place.path, 'home')
    const args = ['restore', join(place.path, 'b'), '--with-tokens']
    const restored = await runDepositd(home, args)
    const check = await runDepositd(home, ['check'])
    await using second = await runningDaemon(home)
    const lost = await missingIn(second, token, before)
    expect([backup.status, restored.status, check.status, check.stdout]).toEqual([0, 0, 0, ''])
    expect(lost).toEqual([])
  })

  it('leaves a folder NAME.incomplete when it is killed, and can be run again', async () => {
    await using place = await temporaryFolder()
    await using daemon = await freshDaemon()
    const token = await daemon.token()
    const load = startLoad(daemon, token)
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(50)
    const target = join(place.path, 'b')

    const backup = spawnDepositd(daemon.home, ['backup', target, '--copy'])
    await expect.poll(() => existsSync(`${target}.incomplete`), { interval: 2 }).toBe(true)
    daemon.child.kill('SIGKILL')
    await load.stop()
    const { status } = await backup.ended

    // If the backup ended before the kill, it is complete, and its status is 0.
    expect(existsSync(target)).toBe(status === 0)
    await rm(target, { recursive: true, force: true })
    const again = await runDepositd(daemon.home, ['backup', target])
    expect(again.status).toBe(0)
    expect(await readdir(place.path)).toEqual(['b'])
  })

  const isSkipped = unless('a backup to a full disk', noDisk)
  it.skipIf(isSkipped)(
    'to a full disk fails, and does not change the previous backup',
    async () => {
      await using place = await temporaryFolder()
      const disk = join(place.path, 'disk')
      await mkdir(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk])
      try {
        await using daemon = await freshDaemon()
        const token = await daemon.token()
        const first = await runDepositd(daemon.home, ['backup', join(disk, 'first')])
        await putFile(daemon, token, 4_000_000)

        const { status, stderr } = await runDepositd(daemon.home, ['backup', join(disk, 'second')])

        expect(first.status).toBe(0)
        expect(status).toBe(1)
        expect(stderr).toContain('no room')
        expect((await readdir(disk)).sort()).toEqual(['first', 'second.incomplete'])
        expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
      } finally {
        execFileSync('umount', [disk])
      }
    },
  )
})

/** Creates deposits with a file each until `stop` is called. */
function startLoad(daemon: RunningDaemon, token: string) {
  const acknowledged: string[] = []
  let isStopping = false
  const run = async (): Promise<void> => {
    while (!isStopping) {
      const id = await putFile(daemon, token, 20_000).catch(() => undefined)
      if (id === undefined) return
      acknowledged.push(id)
      await wait(1)
    }
  }
  const running = Promise.all([run(), run(), run()])
  return {
    acknowledged,
    stop: async () => {
      isStopping = true
      await running
    },
  }
}

async function putFile(daemon: RunningDaemon, token: string, size: number): Promise<string> {
  const draft = await createDraft(daemon, token)
  const response = await fetch(`${draft.links['bucket']}/a.bin`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    body: Buffer.alloc(size, draft.id),
  })
  if (!response.ok) throw new Error(await response.text())
  await response.body?.cancel()
  return draft.id
}

/** Deposits whose file is missing or differs from its upload. */
async function missingIn(
  { url }: RunningDaemon,
  token: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const missing: string[] = []
  for (const id of ids) {
    const response = await fetch(`${url}/api/deposits/${id}/files/a.bin?download`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (!bytes.equals(Buffer.alloc(20_000, id))) missing.push(id)
  }
  return missing
}
