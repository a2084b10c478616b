import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { injectionObstacle } from '../faults/calls/injection.ts'
import { unless } from '../faults/obstacle.ts'
import { runDepositd } from '../support/depositd.ts'
import { canMount, diskAt } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { blobsIn } from '../support/stored-blobs.ts'
import { homeWithData } from './home-with-data.ts'

const depositd = fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url))

/** Kills a restore at its `at`-th rename; returns false if the restore ended before it. */
function restoreKilledAt(at: number, home: string, backup: string): boolean {
  const rule = `inject=/^rename:signal=SIGKILL:when=${at}`
  const strace = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=/^rename', '-e', rule]
  const args = [...strace, process.execPath, depositd, 'restore', backup]
  const env = { ...process.env, DEPOSIT_HOME: home, UV_THREADPOOL_SIZE: '1' }
  return spawnSync('strace', args, { env }).status !== 0
}

/** Kills a restore at each rename, into homes that `prepare` has made. */
async function killAtEach(prepare: (home: string) => Promise<Disposable>): Promise<void> {
  await using source = await homeWithData()
  await using place = await temporaryFolder()
  const backup = join(place.path, 'backup')
  await runDepositd(source.path, ['backup', backup])
  const rounds = { killed: 0, begunAnew: 0 }

  for (let at = 1; ; at += 1) {
    const home = join(place.path, `home-${at}`)
    using _ = await prepare(home)
    if (!restoreKilledAt(at, home, backup)) break
    rounds.killed += 1
    if (!existsSync(join(home, 'deposit.db'))) {
      rounds.begunAnew += 1
      const again = await runDepositd(home, ['restore', backup])
      expect(again.status === 0 ? '' : again.stderr).toBe('')
      expect(await readdir(home)).not.toContain('restore.incomplete')
      expect(await readdir(join(home, 'blobs'))).not.toContain('restore.incomplete')
    }
    const { status, stdout } = await runDepositd(home, ['check'])
    expect({ status, stdout, at }).toEqual({ status: 0, stdout: '', at })
    expect(await blobsIn(home)).toHaveLength(5)
  }

  expect(rounds.killed).toBeGreaterThan(1)
  expect(rounds.begunAnew).toBeGreaterThan(0)
}

describe.skipIf(unless('killing a restore', injectionObstacle()))(
  'a restore that is killed at any rename leaves a home to restore into, or a complete one',
  () => {
    it('in a folder that it makes', () => killAtEach(async () => ({ [Symbol.dispose]: () => {} })))

    it.skipIf(!canMount())('in a home whose blobs/ is a new disk of its own', () =>
      killAtEach(async (home) => {
        const blobs = join(home, 'blobs')
        await mkdir(blobs, { recursive: true, mode: 0o700 })
        const disk = diskAt(blobs, '16m')
        await mkdir(join(blobs, 'lost+found'), { mode: 0o700 })
        return disk
      }),
    )
  },
)
