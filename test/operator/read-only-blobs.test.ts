import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskObstacle, makeDisk } from '../faults/power/disk.ts'
import { runCommand } from '../faults/run-command.ts'
import { unless } from '../faults/obstacle.ts'
import { operateHere, runDepositd } from '../support/depositd.ts'
import { expectProblem } from '../support/problem.ts'
import { canMount, diskAt, makeReadOnly, makeWritable } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { homeHoldsAll, testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const large = Buffer.alloc(200_000, 'x')

/** A home whose `blobs/` is a disk of its own. */
async function homeWithDisk() {
  await using stack = new AsyncDisposableStack()
  const { path: home } = stack.use(await temporaryFolder())
  const blobs = join(home, 'blobs')
  await mkdir(blobs, { mode: 0o700 })
  stack.use(diskAt(blobs, '64m'))
  const owned = stack.move()
  return { home, blobs, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** A disk that can have an error, after which nothing is written to it. */
async function failingDisk() {
  const disk = await makeDisk('ext4')
  await runCommand('mount', '-o', 'remount,errors=remount-ro', disk.path)
  const device = (await runCommand('findmnt', '-no', 'SOURCE', disk.path)).trim()
  const fail = () => writeFile(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, 'a test')
  return { ...disk, fail }
}

async function ask({ origin }: TestDaemon, path: string) {
  const reply = await fetch(origin + path)
  return { status: reply.status, text: await reply.text() }
}

async function isFailing(daemon: TestDaemon): Promise<void> {
  // The rows are not to be trusted either.
  const faults = ['database', 'storage']
  const health = async () => JSON.parse((await ask(daemon, '/health')).text) as unknown
  await expect.poll(health).toMatchObject({ status: 'degraded', faults })
  const ready = await ask(daemon, '/ready')
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([503, { code: 'storage_degraded' }])
  expect((await ask(daemon, '/metrics')).text).toContain('\ndeposit_fault{part="storage"} 1\n')
}

function warningsOf(daemon: TestDaemon, folder: string): readonly string[] {
  return daemon
    .warnings()
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
    .filter((text) => text.includes(folder))
}

describe.skipIf(!homeHoldsAll() || !canMount())('a read-only disk of blobs/', () => {
  it('is found while the daemon runs, without an upload; reading goes on', async () => {
    await using place = await homeWithDisk()
    await using daemon = await testDaemon({ home: place.home })
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    expect((await ada.putObject(draft, 'a', large)).status).toBe(201)

    makeReadOnly(place.blobs)

    await isFailing(daemon)
    expect(warningsOf(daemon, place.blobs)).toEqual([
      expect.stringContaining(`The store failed: ${place.blobs}: EROFS`),
    ])
    expectProblem(await ada.putObject(draft, 'b', large), 'storage_degraded')
    expectProblem(await ada.put(`/deposits/${draft.id}`, { title: 'New' }), 'storage_degraded')
    const download = await ada.get(`/deposits/${draft.id}/files/a?download`)
    expect(download.bytes.equals(large)).toBe(true)
    expect(await ada.keys(draft)).toEqual(['a'])
  })

  it('is named in the log, once, also where an upload meets it first', async () => {
    await using place = await homeWithDisk()
    await using daemon = await testDaemon({ home: place.home })
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()

    makeReadOnly(place.blobs)

    const [first, next] = [
      await ada.putObject(draft, 'a', large),
      await ada.putObject(draft, 'b', large),
    ]
    expect([500, 503]).toContain(first.status)
    expectProblem(next, 'storage_degraded')
    await isFailing(daemon)
    expect(warningsOf(daemon, place.blobs)).toEqual([
      expect.stringMatching(/^The store failed: .*EROFS/),
    ])
    expect(await ada.keys(draft)).toEqual([])
  })

  it('is checked, and its damage is told', async () => {
    await using place = await homeWithDisk()
    {
      await using daemon = await testDaemon({ home: place.home })
      const ada = daemon.as('ada')
      const draft = await ada.createDraft()
      for (const key of ['a', 'b']) await ada.putObject(draft, key, large)
      for (const path of await daemon.storedBytes()) {
        await chmod(path, 0o600)
        await writeFile(path, Buffer.alloc(200_000, 'y'))
      }
    }
    makeReadOnly(place.blobs)

    const check = await operateHere(place.home, ['check'])

    expect(check.status).toBe(1)
    expect(check.stdout.match(/^damage\tblob\t/gm)).toHaveLength(2)
    expect(check.stdout).toContain('not set aside, for nothing can be written there')
    expect(check.stderr).toContain('2 damaged')
    expect(await readdir(join(place.home, 'quarantine'))).toEqual([])

    makeWritable(place.blobs)
    expect((await operateHere(place.home, ['check'])).stdout).toContain('set aside in quarantine')
  })

  it('is refused at the start and by config check, with its name, until it is mounted for writing', async () => {
    await using place = await homeWithDisk()
    {
      await using daemon = await testDaemon({ home: place.home })
      const ada = daemon.as('ada')
      await ada.putObject(await ada.createDraft(), 'a', large)
    }
    makeReadOnly(place.blobs)

    const start = await runDepositd(place.home, ['serve', '--port', '0'])
    const check = await operateHere(place.home, ['config', 'check'])

    const said = `${place.blobs} is on a read-only file system.`
    expect([start.status, start.stderr]).toEqual([73, expect.stringContaining(said)])
    expect([check.status, check.stderr]).toEqual([73, expect.stringContaining(said)])

    makeWritable(place.blobs)
    expect(await operateHere(place.home, ['config', 'check'])).toMatchObject({ status: 0 })
    await (await testDaemon({ home: place.home }))[Symbol.asyncDispose]()
  })
})

describe.skipIf(!homeHoldsAll() || unless('a disk with an error', diskObstacle('ext4')))(
  'a disk that Linux lets nobody write after an error',
  () => {
    it('is found where it is that of blobs/: while the daemon runs, and at the next start', async () => {
      await using disk = await failingDisk()
      await using folder = await temporaryFolder()
      const blobs = join(folder.path, 'blobs')
      await mkdir(blobs, { mode: 0o700 })
      await runCommand('mount', '--bind', disk.path, blobs)
      await using stack = new AsyncDisposableStack()
      stack.defer(async () => void (await runCommand('umount', blobs)))
      {
        await using daemon = await testDaemon({ home: folder.path })
        const ada = daemon.as('ada')
        await ada.putObject(await ada.createDraft(), 'a', large)

        await disk.fail()

        await isFailing(daemon)
      }
      const said = `${blobs} is on a read-only file system.`
      const check = await operateHere(folder.path, ['config', 'check'])
      expect([check.status, check.stderr]).toEqual([73, expect.stringContaining(said)])
      const start = await runDepositd(folder.path, ['serve', '--port', '0'])
      expect([start.status, start.stderr]).toEqual([73, expect.stringContaining(said)])
    })

    it('is found as well where the home is on it, which can be checked and backed up', async () => {
      await using disk = await failingDisk()
      await using folder = await temporaryFolder()
      const home = join(disk.path, 'home')
      {
        await using daemon = await testDaemon({ home })
        await daemon.as('ada').createDraftWith('a')
      }

      await disk.fail()

      const said = `${home} is on a read-only file system.`
      for (const args of [['serve', '--port', '0'], ['gc']]) {
        const { status, stderr } = await runDepositd(home, args)
        expect([args, status, stderr]).toEqual([args, 73, expect.stringContaining(said)])
      }
      for (const args of [['check'], ['backup', join(folder.path, 'backup')]])
        expect(await runDepositd(home, args)).toMatchObject({ status: 0 })
    })
  },
)
