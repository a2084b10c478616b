import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { homeAt } from '../../daemon/home/home.ts'
import { useFolder } from '../../daemon/stores/folder-use.ts'
import { listeningUrl, operateHere, runDepositd, spawnDepositd } from '../support/depositd.ts'
import { canMount } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** Runs a command as on a machine of another name. */
const elsewhere = ['unshare', '--uts', 'sh', '-c', 'hostname elsewhere && exec "$@"', 'sh']

/** Too large for a row. */
const large = 'x'.repeat(100_000)

const runCommand = promisify(execFile)

/** A daemon that runs, and a copy of its home, in which the folder of its files is mounted. */
async function copied() {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  const [own, copy] = [join(folder.path, 'own'), join(folder.path, 'copy')]
  const daemon = stack.use(await testDaemon({ home: own }))
  await cp(own, copy, { recursive: true, preserveTimestamps: true })
  const blobs = join(copy, 'blobs')
  await rm(blobs, { recursive: true })
  await mkdir(blobs, { mode: 0o700 })
  await runCommand('mount', ['--bind', join(own, 'blobs'), blobs])
  stack.defer(async () => void (await runCommand('umount', ['--lazy', blobs])))
  const owned = stack.move()
  return { daemon, own, copy, blobs, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

describe.skipIf(!canMount())('a copy of the home of a daemon that runs, with its files', () => {
  it('is not served, and its commands remove none of them', async () => {
    await using world = await copied()
    const { daemon, own, copy, blobs } = world
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.addFile(draft, 'a.csv', large)

    const said = `The files in ${blobs} are in use: by a process on`
    const start = await runDepositd(copy, ['serve', '--port', '0'])
    expect([start.status, start.stderr]).toEqual([75, expect.stringContaining(said)])
    expect(start.stderr).toContain(`with the home ${own}.`)
    for (const command of [['gc'], ['config', 'check'], ['move', '--to', `${copy} moved`]]) {
      const { status, stderr } = await operateHere(copy, command)
      expect([status, stderr]).toEqual([75, expect.stringContaining(said)])
    }
    const { bytes } = await ada.get(`${draft.links['bucket']}/a.csv`)
    expect(bytes.toString()).toBe(large)
  })

  it('is served on another machine for some seconds, and ends; the daemon of the original goes on', async () => {
    await using world = await copied()
    const { daemon, own, copy, blobs } = world
    const child = spawnDepositd(copy, ['serve', '--port', '0'], {}, elsewhere)
    await using stack = new AsyncDisposableStack()
    stack.defer(() => void child.kill('SIGKILL'))
    expect(await listeningUrl(child)).toMatch(/^http/)

    const { status, stderr } = await child.ended

    expect([status, stderr]).toEqual([75, expect.stringContaining(`${blobs} are in use`)])
    expect(stderr).toContain(`with the home ${own}.`)
    const ada = daemon.as('ada')
    await ada.addFile(await ada.createDraft(), 'a.csv', large)
    const gc = await spawnDepositd(copy, ['gc'], {}, elsewhere).ended
    expect([gc.status, gc.stderr]).toEqual([78, expect.stringContaining('were used later')])
    await daemon[Symbol.asyncDispose]()
    await (await testDaemon({ home: own }))[Symbol.asyncDispose]()
  })
})

describe('a home that was moved with its folder of files', () => {
  it('is served where it is now, although another service has its old place', async () => {
    await using folder = await temporaryFolder()
    const [before, now] = [join(folder.path, 'before'), join(folder.path, 'now')]
    await (await testDaemon({ home: before }))[Symbol.asyncDispose]()
    await rename(before, now)
    await using _ = await testDaemon({ home: before })

    await (await testDaemon({ home: now }))[Symbol.asyncDispose]()
    expect(await operateHere(now, ['gc'])).toMatchObject({ status: 0 })
  })
})

describe('snapshots that were made while the daemon ran', () => {
  async function snapshots() {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(await temporaryFolder())
    const [home, old] = [join(folder.path, 'home'), join(folder.path, 'old')]
    {
      await using daemon = await testDaemon({ home })
      const ada = daemon.as('ada')
      await ada.addFile(await ada.createDraft(), 'a.csv', large)
      await cp(home, old, { recursive: true, preserveTimestamps: true })
      await ada.addFile(await ada.createDraft(), 'b.csv', large)
    }
    const owned = stack.move()
    return { home, old, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  const exchange = async (one: string, other: string): Promise<void> => {
    await rename(join(one, 'blobs'), join(one, 'aside'))
    await rename(join(other, 'blobs'), join(one, 'blobs'))
    await rename(join(one, 'aside'), join(other, 'blobs'))
  }

  it('of the home: its rows remove no later files from the disk of blobs/', async () => {
    await using world = await snapshots()
    const { home, old } = world
    await exchange(old, home)

    await expect(testDaemon({ home: old })).rejects.toThrow('were used later than this home')
    for (const command of [['gc'], ['config', 'check']]) {
      const { status, stderr } = await operateHere(old, command)
      expect([status, stderr]).toEqual([78, expect.stringContaining('were used later')])
    }

    await exchange(old, home)
    await (await testDaemon({ home }))[Symbol.asyncDispose]()
    expect(await operateHere(home, ['check'])).toMatchObject({ status: 0 })
  })

  it('of the disk of blobs/: the rows do not take it for the one that was used last', async () => {
    await using world = await snapshots()
    const { home, old } = world
    await exchange(home, old)

    const said = 'are not those that this service used last'
    await expect(testDaemon({ home })).rejects.toThrow(said)
    expect((await operateHere(home, ['gc'])).status).toBe(78)

    await exchange(home, old)
    await (await testDaemon({ home }))[Symbol.asyncDispose]()
    expect(await operateHere(home, ['check'])).toMatchObject({ status: 0 })
  })

  it('of both together are a whole service', async () => {
    await using world = await snapshots()

    await (await testDaemon({ home: world.old }))[Symbol.asyncDispose]()
    expect(await operateHere(world.old, ['gc'])).toMatchObject({ status: 0 })
  })
})

describe('a daemon that runs for long', () => {
  it('begins new turns of its folder of files after changes, and serves on', async () => {
    await using folder = await temporaryFolder()
    await using daemon = await testDaemon({ home: folder.path })
    const home = homeAt(folder.path)
    const ada = daemon.as('ada')
    const mark = () => readFile(join(folder.path, 'blobs/.depositd.json'), 'utf8')
    const told = { report: () => {}, notice: () => {} }
    await using _ = await useFolder(home, 'service', told, { everyMs: 20, turnMs: 20 })
    const before = await mark()

    const draft = await ada.createDraft()
    await ada.addFile(draft, 'a.csv', large)

    await expect.poll(mark).not.toBe(before)
    await ada.addFile(draft, 'b.csv', large)
    const { bytes } = await ada.get(`${draft.links['bucket']}/b.csv`)
    expect(bytes.toString()).toBe(large)
  })
})
