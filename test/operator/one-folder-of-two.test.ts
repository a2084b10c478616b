import { cp, mkdir, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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
  let isMounted = true
  const unmount = async (): Promise<void> => {
    if (isMounted) await runCommand('umount', ['--lazy', blobs])
    isMounted = false
  }
  stack.defer(unmount)
  const owned = stack.move()
  return { daemon, own, copy, blobs, unmount, [Symbol.asyncDispose]: () => owned.disposeAsync() }
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

describe.skipIf(!canMount())('a home that was moved with its folder of files', () => {
  it('is served where it is now, although another service has its old place', async () => {
    await using world = await copied()
    const { daemon, own, copy, blobs } = world
    await daemon[Symbol.asyncDispose]()
    await world.unmount()
    await rm(blobs, { recursive: true })
    await cp(join(own, 'blobs'), blobs, { recursive: true })
    await rm(own, { recursive: true })
    await using _ = await testDaemon({ home: own })

    await (await testDaemon({ home: copy }))[Symbol.asyncDispose]()
    expect(await operateHere(copy, ['gc'])).toMatchObject({ status: 0 })
  })
})
