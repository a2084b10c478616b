import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** Too large for a row. */
const large = 'x'.repeat(100_000)

/** A home whose daemon has ended, with a draft of a file of each content. */
async function homeWith(...contents: readonly string[]) {
  const folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  let users = 0
  const add = async (content: string): Promise<void> => {
    await using daemon = await testDaemon({ home })
    const user = daemon.as(`user-${(users += 1)}`)
    const draft = await user.createDraft()
    expect((await user.upload(draft, 'a.csv', content)).status).toBe(201)
  }
  for (const content of contents) await add(content)
  return {
    home,
    blobs: join(home, 'blobs'),
    add,
    removeSmall: async () => {
      for (const name of await readdir(home))
        if (name.startsWith('small-blobs')) await rm(join(home, name))
    },
    at: (name: string) => join(folder.path, name),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

async function serves(home: string): Promise<void> {
  await (await testDaemon({ home }))[Symbol.asyncDispose]()
}

async function refuses(home: string): Promise<void> {
  const said = `there are none in ${join(home, 'blobs')}`
  await expect(testDaemon({ home })).rejects.toThrow(said)
  for (const command of [['gc'], ['check'], ['config', 'check']]) {
    const { status, stderr } = await operateHere(home, command)
    expect([status, stderr]).toEqual([78, expect.stringContaining(said)])
  }
}

describe('a home whose folder of files is away', () => {
  it('is refused where the folder is missing, and serves all files once it is back', async () => {
    await using service = await homeWith('small', large)
    const { home, blobs, at } = service
    await rename(blobs, at('disk'))

    await refuses(home)
    expect(await readdir(home)).not.toContain('blobs')

    await rename(at('disk'), blobs)
    await serves(home)
    expect(await operateHere(home, ['check'])).toMatchObject({ status: 0 })
  })

  it('is refused where the folder is empty, as of a disk that is not mounted', async () => {
    await using service = await homeWith(large, 'small')
    const { home, blobs, at } = service
    await rename(blobs, at('disk'))
    await mkdir(blobs, { mode: 0o700 })

    await refuses(home)
    expect(await readdir(blobs)).toEqual([])
  })

  it('is refused where the small files are away as well', async () => {
    await using service = await homeWith('small')
    await service.removeSmall()

    await refuses(service.home)
    expect(await readdir(service.home)).not.toContain('small-blobs.db')
  })

  it('is served where the operator accepts the loss, and guards files that come later', async () => {
    await using service = await homeWith('small', large)
    const { home, blobs, at, add } = service
    await rm(blobs, { recursive: true })
    await service.removeSmall()
    await writeFile(join(home, 'stores.json'), '{"mark":{"service":"any"}}')

    await serves(home)
    await serves(home)
    await add(large)
    await rename(blobs, at('disk'))
    await refuses(home)

    await rename(at('disk'), blobs)
    await serves(home)
    const check = await operateHere(home, ['check'])
    expect(check.status).toBe(1)
    expect(check.stdout.match(/is missing/g)).toHaveLength(2)
  })
})

describe('a home without files in its folder that lacks nothing', () => {
  it('is served while it is new, and with small files alone', async () => {
    await using service = await homeWith()
    await serves(service.home)
    await service.add('small')
    await rm(service.blobs, { recursive: true })

    await serves(service.home)
    expect(await operateHere(service.home, ['check'])).toMatchObject({ status: 0 })
  })

  it('is served after all its files were deleted', async () => {
    await using service = await homeWith()
    {
      await using daemon = await testDaemon({ home: service.home })
      const ada = daemon.as('ada')
      const draft = await ada.createDraft()
      await ada.upload(draft, 'a.csv', large)
      expect((await ada.delete(`/deposits/${draft.id}`)).status).toBe(204)
    }
    await serves(service.home)
  })

  it('is served after a restore, whose small files are in the folder', async () => {
    await using service = await homeWith('small', large)
    const { home, at } = service
    expect(await operateHere(home, ['backup', at('backup')])).toMatchObject({ status: 0 })
    expect(await operateHere(at('restored'), ['restore', at('backup')])).toMatchObject({
      status: 0,
    })

    await serves(at('restored'))
    expect(await operateHere(at('restored'), ['check'])).toMatchObject({ status: 0 })
  })

  it('is served with newer folders beside an older copy of its rows', async () => {
    await using service = await homeWith('small')
    const { home, at, add } = service
    await cp(home, at('old'), { recursive: true, preserveTimestamps: true })
    await add(large)
    for (const name of ['blobs', 'small-blobs.db'])
      await cp(join(home, name), join(at('old'), name), { recursive: true })

    await serves(at('old'))
  })
})
