import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { canMount, diskAt, readOnlyDiskAt } from '../support/small-disk.ts'
import { blobsIn } from '../support/stored-blobs.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { homeWithData } from './home-with-data.ts'

/** A home with data, a backup of it, an OCFL storage root, and a folder for what is made of them. */
async function sources() {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await homeWithData())
  const folder = stack.use(await temporaryFolder())
  const at = (name: string): string => join(folder.path, name)
  expect(await operateHere(home.path, ['backup', at('backup')])).toMatchObject({ status: 0 })
  expect(await operateHere(home.path, ['export-ocfl', at('ocfl')])).toMatchObject({ status: 0 })
  const owned = stack.move()
  return { home, at, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

type Sources = Awaited<ReturnType<typeof sources>>

/** The commands that fill a home which is empty: the settings they run with, and their arguments. */
const filling: Readonly<
  Record<string, (sources: Sources, to: string) => readonly [string, readonly string[]]>
> = {
  restore: ({ at }, to) => [to, ['restore', at('backup')]],
  move: ({ home }, to) => [home.path, ['move', '--to', to]],
  'rebuild --from-ocfl': ({ at }, to) => [to, ['rebuild', '--from-ocfl', at('ocfl')]],
}
const commands = Object.entries(filling)

/** A new home with a new disk for each of the folders, `''` being the home itself. */
async function newDisks(home: string, folders: readonly string[]): Promise<Disposable> {
  using stack = new DisposableStack()
  for (const folder of folders) {
    const path = join(home, folder)
    await mkdir(path, { recursive: true, mode: 0o700 })
    stack.use(diskAt(path, '32m'))
    await mkdir(join(path, 'lost+found'), { mode: 0o700 })
  }
  return stack.move()
}

describe.skipIf(!canMount())('new disks as a home', () => {
  it.for(commands)('are filled by %s', async ([, filledBy]) => {
    await using source = await sources()
    for (const [name, folders] of [
      ['blobs', ['blobs']],
      ['all', ['', 'blobs', 'records']],
    ] as const) {
      const to = source.at(name)
      using _ = await newDisks(to, folders)
      const [settings, args] = filledBy(source, to)

      const { status, stderr } = await operateHere(settings, args)

      expect([name, status, stderr]).toEqual([name, 0, stderr])
      expect(await operateHere(to, ['check'])).toMatchObject({ status: 0, stdout: '' })
      expect(await readdir(join(to, 'blobs'))).toContain('lost+found')
      expect((await blobsIn(to)).length).toBeGreaterThan(0)
    }
  })

  it.for(commands)('that are read-only are refused by %s', async ([, filledBy]) => {
    await using source = await sources()
    const to = source.at('to')
    await mkdir(join(to, 'blobs'), { recursive: true, mode: 0o700 })
    using _ = readOnlyDiskAt(join(to, 'blobs'))
    const [settings, args] = filledBy(source, to)

    const { status, stderr } = await operateHere(settings, args)

    const said = `${join(to, 'blobs')} is on a read-only file system.`
    expect([status, stderr]).toEqual([73, expect.stringContaining(said)])
    expect(await readdir(to)).not.toContain('deposit.db')
  })

  it('take a move again that was killed while it copied', async () => {
    await using source = await sources()
    const to = source.at('to')
    using _ = await newDisks(to, ['blobs'])
    const child = spawnDepositd(source.home.path, ['move', '--to', to])
    const hasBegun = async (): Promise<boolean> => (await readdir(to)).includes('stores.json')
    await expect.poll(hasBegun, { interval: 1 }).toBe(true)
    child.kill('SIGKILL')
    await child.ended

    const again = await operateHere(source.home.path, ['move', '--to', to])

    expect([again.status, again.stderr]).toEqual([0, again.stderr])
    expect(await operateHere(to, ['check'])).toMatchObject({ status: 0, stdout: '' })
  })
})

const refused: Readonly<Record<string, (blobs: string, other: TemporaryFolder) => Promise<void>>> =
  {
    'a file': async (blobs) => {
      await mkdir(blobs)
      await writeFile(join(blobs, 'mine'), 'mine')
    },
    'bytes of a service': async (blobs) => {
      await mkdir(join(blobs, 'ab', 'cd'), { recursive: true })
    },
    // Of a restore into another home.
    'bytes of an unfinished restore': async (blobs) => {
      await mkdir(join(blobs, 'restore.incomplete'), { recursive: true })
      await mkdir(join(blobs, 'ab'))
    },
    'a link to a folder': async (blobs, other) => symlink(other.path, blobs),
  }

describe('a folder whose blobs/ has anything', () => {
  it.for(Object.entries(refused))('is no new home: %s', async ([, put]) => {
    await using source = await sources()
    await using other = await temporaryFolder()
    const to = source.at('to')
    await mkdir(to, { mode: 0o700 })
    await put(join(to, 'blobs'), other)
    const before = await readdir(to, { recursive: true })
    for (const command of ['restore', 'move']) {
      const [settings, args] = filling[command]?.(source, to) ?? ['', []]

      const { status, stderr } = await operateHere(settings, args)

      expect([status, stderr]).toEqual([1, expect.stringContaining(`${to} is not empty (blobs`)])
      const left = await readdir(to, { recursive: true })
      expect(left.filter((name) => !name.startsWith('daemon.lock'))).toEqual(before)
    }
  })

  it('is none either where a restore into it was interrupted before', async () => {
    await using source = await sources()
    const to = source.at('to')
    await mkdir(join(to, 'restore.incomplete'), { recursive: true, mode: 0o700 })
    await mkdir(join(to, 'blobs'))
    await writeFile(join(to, 'blobs', 'mine'), 'mine')

    const { status, stderr } = await operateHere(to, ['restore', source.at('backup')])

    const said = `${to} is not empty (blobs/mine).`
    expect([status, stderr]).toEqual([1, expect.stringContaining(said)])
    expect(await readFile(join(to, 'blobs', 'mine'), 'utf8')).toBe('mine')
  })
})
