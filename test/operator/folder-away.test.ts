import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { canMount, diskAt } from '../support/small-disk.ts'
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

const noneIn = (home: string) => `there are none in ${join(home, 'blobs')}`
const othersIn = (home: string) =>
  `The files in ${join(home, 'blobs')} are not those that this service used last.`

async function refuses(home: string, said = noneIn(home)): Promise<void> {
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

  it('is refused where the folder is a disk that was just formatted', async () => {
    await using service = await homeWith(large)
    const { home, blobs, at } = service
    await rename(blobs, at('disk'))
    await mkdir(join(blobs, 'lost+found'), { recursive: true })

    await refuses(home)
  })

  it('is refused where an old copy of the folder is in its place, until it is back', async () => {
    await using service = await homeWith(large)
    const { home, blobs, at, add } = service
    await cp(blobs, at('old'), { recursive: true })
    await add(large)
    await rename(blobs, at('disk'))
    await rename(at('old'), blobs)

    await refuses(home, othersIn(home))

    await rm(blobs, { recursive: true })
    await rename(at('disk'), blobs)
    await serves(home)
    expect(await operateHere(home, ['check'])).toMatchObject({ status: 0, stdout: '' })
  })

  it('is refused where it has small files alone, or none: later ones would go astray', async () => {
    for (const contents of [['small'], []]) {
      await using service = await homeWith(...contents)
      const { home, blobs, at } = service
      await serves(home)
      await rename(blobs, at('disk'))
      await mkdir(blobs, { mode: 0o700 })

      await refuses(home, othersIn(home))
    }
  })

  it('is served with files from elsewhere where the operator says so, and with no others then', async () => {
    await using service = await homeWith(large)
    const { home, blobs, at } = service
    await serves(home)
    await cp(blobs, at('other'), { recursive: true })
    await rm(join(blobs, '.depositd.json'))
    await refuses(home, othersIn(home))
    await writeFile(join(home, 'stores.json'), '{"mark":{"service":"any"}}')

    await serves(home)
    await serves(home)
    await rm(blobs, { recursive: true })
    await rename(at('other'), blobs)
    await refuses(home, othersIn(home))
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

interface Known {
  readonly folders: readonly string[]
}

async function known(home: string): Promise<Known> {
  return JSON.parse(await readFile(join(home, 'stores.json'), 'utf8')) as Known
}

/** Of the folder of files. */
async function lastUse(home: string): Promise<{ readonly since: string }> {
  const text = await readFile(join(home, 'blobs', '.depositd.json'), 'utf8')
  return JSON.parse(text) as { readonly since: string }
}

async function note(home: string, folders: readonly string[] | undefined): Promise<void> {
  const text = JSON.stringify({ ...(await known(home)), folders })
  await writeFile(join(home, 'stores.json'), text)
}

/** As an earlier version leaves the home. */
const forgetFolder = (home: string): Promise<void> => note(home, undefined)

describe('the mark of the folder of files', () => {
  it('is another one after each start, says whose it is, and is no strange file', async () => {
    await using service = await homeWith(large)
    const { home, blobs } = service
    const first = (await known(home)).folders
    await serves(home)

    const { folders } = await known(home)
    expect(folders).toHaveLength(1)
    expect(folders).not.toEqual(first)
    const mark = JSON.parse(await readFile(join(blobs, '.depositd.json'), 'utf8')) as object
    expect(mark).toMatchObject({ ids: [...first, ...folders], home })
    const check = await operateHere(home, ['check'])
    expect(check).toMatchObject({ status: 0, stdout: '' })
    expect(await operateHere(home, ['gc'])).toMatchObject({ status: 0, stdout: '' })
    expect(await readdir(blobs)).toContain('.depositd.json')
  })

  it('is read at the start after a crash at any moment of its writing', async () => {
    await using service = await homeWith(large)
    const { home, blobs } = service
    const [last = ''] = (await known(home)).folders
    const mark = join(blobs, '.depositd.json')

    // Before it was written, and before the home forgot the one of before.
    await note(home, [last, 'next'])
    await writeFile(`${mark}.draft.new`, '{')
    await serves(home)
    expect(await readdir(blobs)).not.toContain('.depositd.json.draft.new')
    const [current = ''] = (await known(home)).folders
    await note(home, ['before', current])
    await serves(home)
    // The same at the first start of this version.
    await rm(mark)
    await note(home, ['', 'first'])
    await serves(home)
    const [first = ''] = (await known(home)).folders
    await note(home, ['', first])
    await serves(home)
  })

  it('is made where an earlier version has used the home since', async () => {
    await using service = await homeWith(large)
    const { home, blobs } = service
    await rm(join(blobs, '.depositd.json'))
    await forgetFolder(home)

    await serves(home)

    expect((await known(home)).folders).toHaveLength(1)
    await rm(join(blobs, '.depositd.json'))
    await refuses(home, othersIn(home))
  })

  it('is no matter to a rebuild, which takes the folder that is there', async () => {
    await using service = await homeWith(large)
    const { home, blobs } = service
    {
      await using daemon = await testDaemon({ home })
      const ada = daemon.as('ada')
      await ada.publish(await ada.createDraftWith('a.csv'))
    }
    for (const name of ['deposit.db', 'deposit.db-wal']) await rm(join(home, name), { force: true })
    await rm(join(blobs, '.depositd.json'))

    expect(await operateHere(home, ['rebuild'])).toMatchObject({ status: 0 })
    await serves(home)
  })

  it('keeps a rebuild from a folder that is empty, as of a disk that is not mounted', async () => {
    await using service = await homeWith(large)
    const { home, blobs, at } = service
    {
      await using daemon = await testDaemon({ home })
      const ada = daemon.as('ada')
      await ada.publish(await ada.createDraftWith('a.csv'))
    }
    for (const name of ['deposit.db', 'deposit.db-wal']) await rm(join(home, name), { force: true })
    await rename(blobs, at('disk'))
    await mkdir(blobs, { mode: 0o700 })

    const { status, stderr } = await operateHere(home, ['rebuild'])
    expect([status, stderr]).toEqual([78, expect.stringContaining('There are no files in')])
    expect(await readdir(home)).not.toContain('deposit.db')

    await rm(blobs, { recursive: true })
    await rename(at('disk'), blobs)
    expect(await operateHere(home, ['rebuild'])).toMatchObject({ status: 0 })
  })

  it.skipIf(!canMount())(
    'is left out where there is no room for it, which the log says',
    async () => {
      await using service = await homeWith()
      const { home, blobs } = service
      await mkdir(blobs, { recursive: true, mode: 0o700 })
      using _ = diskAt(blobs, '4k')
      await writeFile(join(blobs, 'lost+found'), 'x'.repeat(4096))

      const start = async (): Promise<void> => {
        await using daemon = await testDaemon({ home })
        expect(daemon.warnings().join('')).toContain(
          `The folder ${blobs} has no mark of this start`,
        )
        expect((await known(home)).folders).toEqual(['', expect.any(String)])
      }
      await start()
      await start()
    },
  )
})

describe('a disk for a part of a home', () => {
  it('may have a folder lost+found, which is not strange', async () => {
    await using service = await homeWith(large)
    const { home, blobs, at } = service
    for (const folder of [home, blobs, join(home, 'records')])
      await mkdir(join(folder, 'lost+found'), { recursive: true })

    expect(await operateHere(home, ['check'])).toMatchObject({ status: 0, stdout: '' })
    expect(await operateHere(home, ['backup', at('backup')])).toMatchObject({ status: 0 })
    await mkdir(join(at('restored'), 'lost+found'), { recursive: true })
    expect(await operateHere(at('restored'), ['restore', at('backup')])).toMatchObject({
      status: 0,
    })
  })
})

describe('a home without files in its folder that lacks nothing', () => {
  it('is served while it is new, and by a later version with small files alone', async () => {
    await using service = await homeWith()
    await serves(service.home)
    await service.add('small')
    await rm(service.blobs, { recursive: true })
    await forgetFolder(service.home)

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
})

describe('a home whose folder of files was used later, as by the home that it is a copy of', () => {
  async function olderCopy() {
    const service = await homeWith('small')
    const { home, at, add } = service
    await cp(home, at('old'), { recursive: true, preserveTimestamps: true })
    await add(large)
    const old = at('old')
    for (const name of ['blobs', 'small-blobs.db']) {
      await rm(join(old, name), { recursive: true })
      await cp(join(home, name), join(old, name), { recursive: true })
    }
    return { ...service, old }
  }

  it('changes nothing there, and says which home used it', async () => {
    await using service = await olderCopy()
    const { home, old } = service
    const said = `were used later than this home: since ${(await lastUse(old)).since}, with the home ${home} on`

    await expect(testDaemon({ home: old })).rejects.toThrow(said)
    for (const command of [['gc'], ['config', 'check'], ['move', '--to', service.at('there')]]) {
      const { status, stderr } = await operateHere(old, command)
      expect([status, stderr]).toEqual([78, expect.stringContaining(said)])
    }
    // It only reads.
    const check = await operateHere(old, ['check'])
    expect(check.stdout).toContain('garbage')
    await serves(home)
  })

  it('is served where the operator says so; the other one is refused then', async () => {
    await using service = await olderCopy()
    const { home, old } = service
    await writeFile(join(old, 'stores.json'), '{"mark":{"service":"any"}}')
    await serves(old)
    await serves(old)

    await rm(join(home, 'blobs'), { recursive: true })
    await cp(join(old, 'blobs'), join(home, 'blobs'), { recursive: true })
    await expect(testDaemon({ home })).rejects.toThrow('were used later than this home')
  })

  it('is refused after a restore as well, which did not fill it', async () => {
    await using service = await homeWith('small', large)
    const { home, blobs, at, add } = service
    const restored = at('restored')
    expect(await operateHere(home, ['backup', at('backup')])).toMatchObject({ status: 0 })
    await add(large)
    expect(await operateHere(restored, ['restore', at('backup')])).toMatchObject({ status: 0 })
    await rename(join(restored, 'blobs'), at('blobs of the backup'))
    await cp(blobs, join(restored, 'blobs'), { recursive: true })

    const gc = await operateHere(restored, ['gc'])
    expect([gc.status, gc.stderr]).toEqual([78, expect.stringContaining('were used later')])
    await expect(testDaemon({ home: restored })).rejects.toThrow('were used later')

    await rm(join(restored, 'blobs'), { recursive: true })
    await rename(at('blobs of the backup'), join(restored, 'blobs'))
    await serves(restored)
  })
})

describe('a home whose database of small files is away', () => {
  const gone = 'has no small-blobs.db, where they were'

  it('is refused until it is back, and makes no empty one', async () => {
    await using service = await homeWith('small', large)
    const { home, at } = service
    await rename(join(home, 'small-blobs.db'), at('small'))

    await refuses(home, gone)
    expect(await readdir(home)).not.toContain('small-blobs.db')

    await rename(at('small'), join(home, 'small-blobs.db'))
    await serves(home)
    expect(await operateHere(home, ['check'])).toMatchObject({ status: 0 })
  })

  it('is served where it had none, or the operator accepts the loss', async () => {
    await using service = await homeWith(large)
    const { home, add } = service
    await service.removeSmall()
    await serves(home)
    await add('small')
    await service.removeSmall()
    await writeFile(join(home, 'stores.json'), '{"mark":{"service":"any"}}')

    await serves(home)
    await service.removeSmall()
    await serves(home)
    const check = await operateHere(home, ['check'])
    expect(check.stdout.match(/is missing/g)).toHaveLength(1)
  })
})
