import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** Too large for a row. */
const large = 'x'.repeat(100_000)

/** Homes below a temporary folder, whose daemons have ended. */
class Homes {
  readonly #folder: TemporaryFolder

  constructor(folder: TemporaryFolder) {
    this.#folder = folder
  }

  at(name: string): string {
    return join(this.#folder.path, name)
  }

  /** A home with a file of each content. */
  async with(name: string, ...contents: readonly string[]): Promise<string> {
    const home = this.at(name)
    await using daemon = await testDaemon({ home })
    const user = daemon.as(name)
    const draft = await user.createDraft()
    for (const [at, content] of contents.entries())
      expect((await user.upload(draft, `${at}.csv`, content)).status).toBe(201)
    return home
  }

  async empty(name: string): Promise<string> {
    await mkdir(this.at(name), { mode: 0o700 })
    return this.at(name)
  }
}

async function inHomes(test: (homes: Homes) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder()
  await test(new Homes(folder))
}

async function refuses(home: string, said: string, ...more: string[][]): Promise<void> {
  const before = await readdir(join(home, 'blobs'), { recursive: true })
  for (const command of [...more, ['config', 'check']]) {
    const { status, stderr } = await operateHere(home, command)
    expect([status, stderr]).toEqual([78, expect.stringContaining(said)])
  }
  await expect(testDaemon({ home })).rejects.toThrow(said)
  expect(await readdir(join(home, 'blobs'), { recursive: true })).toEqual(before)
}

/** As the disk of one home that is mounted in another. */
async function moveBlobs(from: string, to: string): Promise<void> {
  await rm(join(to, 'blobs'), { recursive: true, force: true })
  await rename(join(from, 'blobs'), join(to, 'blobs'))
}

describe('a home with the folder of files of another service', () => {
  it('is refused where it is new: its first clearing would remove them', () =>
    inHomes(async (homes) => {
      const old = await homes.with('old', large)
      const made = await homes.empty('new')
      await moveBlobs(old, made)

      await refuses(made, `The bytes in ${join(made, 'blobs')} are those of the service`, ['init'])

      await moveBlobs(made, old)
      expect(await operateHere(old, ['check'])).toMatchObject({ status: 0, stdout: '' })
    }))

  it('is refused where it is new, and the folder has nothing but the mark of that service', () =>
    inHomes(async (homes) => {
      const old = await homes.with('old', 'small')
      const made = await homes.empty('new')
      await moveBlobs(old, made)

      await refuses(made, `The bytes in ${join(made, 'blobs')} are those of the service`, ['init'])

      await moveBlobs(made, old)
      await (await testDaemon({ home: old }))[Symbol.asyncDispose]()
    }))

  it('is refused where it is new, and the folder has no mark', () =>
    inHomes(async (homes) => {
      const old = await homes.with('old', large)
      const made = await homes.empty('new')
      await rm(join(old, 'blobs', '.depositd.json'))
      await moveBlobs(old, made)

      await refuses(made, `There are files in ${join(made, 'blobs')}`, ['init'])
    }))

  it('is refused where it was restored without files, and has those of others', () =>
    inHomes(async (homes) => {
      const home = await homes.with('home')
      await operateHere(home, ['backup', homes.at('backup')])
      const others = await homes.with('others', large)
      const restored = homes.at('restored')
      expect(await operateHere(restored, ['restore', homes.at('backup')])).toMatchObject({
        status: 0,
      })
      await moveBlobs(others, restored)

      await refuses(restored, `The bytes in ${join(restored, 'blobs')} are those of the service`)
    }))

  it('is served where it was restored, and the operator says that its own folder may be newer', () =>
    inHomes(async (homes) => {
      const home = await homes.with('home', large)
      await operateHere(home, ['backup', homes.at('backup')])
      const restored = homes.at('restored')
      await operateHere(restored, ['restore', homes.at('backup')])
      await moveBlobs(home, restored)

      await refuses(restored, 'This home is an older copy of that one, or comes from a backup', [
        'gc',
      ])
      expect(await operateHere(restored, ['check'])).toMatchObject({ status: 0 })
      await writeFile(join(restored, 'stores.json'), '{"mark":{"service":"any"}}')
      await using _ = await testDaemon({ home: restored })
      expect(await operateHere(restored, ['check'])).toMatchObject({ status: 0 })
    }))

  it('is served where its rows were rebuilt beside a folder that others have marked', () =>
    inHomes(async (homes) => {
      const home = homes.at('home')
      {
        await using daemon = await testDaemon({ home })
        const user = daemon.as('owner')
        const draft = await user.createDraft()
        expect((await user.upload(draft, 'a.csv', large)).status).toBe(201)
        await user.publish(draft)
      }
      const rebuilt = await homes.empty('rebuilt')
      for (const name of ['blobs', 'records'])
        await cp(join(home, name), join(rebuilt, name), { recursive: true })

      await refuses(rebuilt, `The bytes in ${join(rebuilt, 'blobs')} are those of the service`)
      expect(await operateHere(rebuilt, ['rebuild'])).toMatchObject({ status: 0 })
      await using _ = await testDaemon({ home: rebuilt })
      expect(await operateHere(rebuilt, ['check'])).toMatchObject({ status: 0 })
    }))
})
