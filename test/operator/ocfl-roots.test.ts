import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inParallel } from '../../core/base/in-parallel.ts'
import { operateHere } from '../support/depositd.ts'
import { naughtyStrings } from '../support/naughty-strings.ts'
import { faultsOfRoot, logicalPaths, objectsOf, readLogical } from '../support/ocfl.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { hasS3, s3Credentials, startS3, type S3Server } from '../support/s3.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { dumpOf, type Dump } from './api-dump.ts'
import { homeWithData } from './home-with-data.ts'

type Environment = Readonly<Record<string, string>>

/** Runs a command that must succeed. */
async function done(home: string, args: readonly string[], env: Environment = {}): Promise<string> {
  const { status, stdout, stderr } = await operateHere(home, args, env)
  expect({ status, stderr }).toEqual({ status: 0, stderr })
  return stdout
}

async function dump(home: string, env: Environment = {}): Promise<Dump> {
  await using daemon = await testDaemon({ home, env })
  return await dumpOf(daemon, randomUUID())
}

describe('a storage root', () => {
  it('has files under all names that the service accepts', async () => {
    await using place = await temporaryFolder()
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    const keys = new Map<string, string>()
    await inParallel([...naughtyStrings], 6, () => async (text) => {
      const { status, body } = await ada.upload(draft, 'file', text, { name: text })
      if (status === 201) keys.set((body as { readonly filename: string }).filename, text)
    })
    await ada.publish(draft)

    await done(daemon.home, ['export-ocfl', place.path])

    expect(await faultsOfRoot(place.path)).toEqual([])
    const [object] = await objectsOf(place.path)
    const files = object ? logicalPaths(object, 'v1').filter((path) => path.includes('/')) : []
    expect(files).toHaveLength(keys.size)
    for (const path of files) {
      const key = path.startsWith('files/') ? path.slice('files/'.length) : undefined
      const bytes = object && (await readLogical(object, 'v1', path))
      if (key !== undefined) expect(String(bytes)).toBe(keys.get(key))
    }
  })

  it('has a record of a hundred revisions, whose files are there once', async () => {
    await using place = await temporaryFolder()
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    let deposit = await ada.publish(await ada.createDraftWith('a.csv', 'b/c.csv'))
    for (let revision = 1; revision < 100; revision += 1) {
      deposit = await ada.publish(await ada.edit(deposit))
      // Some are added to an object that is there.
      if (revision === 60) await done(daemon.home, ['export-ocfl', place.path])
    }

    await done(daemon.home, ['export-ocfl', place.path])

    expect(await faultsOfRoot(place.path)).toEqual([])
    const [object] = await objectsOf(place.path)
    const { head, manifest } = object?.inventory ?? {}
    expect(head).toBe('v100')
    const contents = Object.values(manifest ?? {}).flat()
    expect(contents.filter((path) => path.includes('/files/'))).toHaveLength(2)
  })

  it('gets all that was acknowledged before, while the daemon takes more', async () => {
    await using place = await temporaryFolder()
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    for (let index = 0; index < 5; index += 1)
      await ada.publish(await ada.createDraftWith(`${index}.csv`))

    const [before] = await Promise.all([
      done(daemon.home, ['export-ocfl', place.path, '--json']),
      (async () => {
        for (let index = 0; index < 10; index += 1)
          await ada.publish(await ada.createDraftWith(`later ${index}.csv`))
      })(),
    ])
    await done(daemon.home, ['export-ocfl', place.path])

    expect((JSON.parse(before) as { readonly objects: number }).objects).toBeGreaterThanOrEqual(5)
    expect(await faultsOfRoot(place.path)).toEqual([])
    expect(await objectsOf(place.path)).toHaveLength(15)
  })
})

describe.skipIf(!canMount())('depositd export-ocfl to a disk without room', () => {
  it('fails, keeps the objects that are there, and can be repeated', async () => {
    await using home = await homeWithData()
    await using disk = await smallDisk('2m')
    const root = join(disk.path, 'root')
    const filler = join(disk.path, 'filler')
    await done(home.path, ['export-ocfl', root])
    {
      await using daemon = await testDaemon({ home: home.path })
      const eve = daemon.as('eve')
      const draft = await eve.createDraft()
      await eve.addFile(draft, 'large.csv', 'x'.repeat(300_000))
      await eve.publish(draft)
    }
    await expect(writeFile(filler, Buffer.alloc(4_000_000))).rejects.toThrow('ENOSPC')

    const { status, stdout, stderr } = await operateHere(home.path, ['export-ocfl', root])

    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(`There is no room in ${root}; the records that are there are whole.`)
    expect(await faultsOfRoot(root)).toEqual([])
    expect(await objectsOf(root)).toHaveLength(1)
    await writeFile(filler, '')
    await done(home.path, ['export-ocfl', root])
    expect(await objectsOf(root)).toHaveLength(2)
  })
})

describe.skipIf(!hasPostgres() || !hasS3())('a storage root and other stores', () => {
  let postgres: PostgresServer
  let s3: S3Server
  beforeAll(async () => {
    Object.assign(process.env, s3Credentials)
    ;[postgres, s3] = await Promise.all([startPostgres(), startS3()])
  })
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]()
    await s3[Symbol.asyncDispose]()
  })

  it('brings records to PostgreSQL and S3, and from there', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const at = (name: string): string => join(place.path, name)
    const env = {
      DEPOSIT_DATABASE_URL: await postgres.database(randomUUID()),
      DEPOSIT_STORAGE_URL: s3.store(randomUUID()),
    }

    await done(home.path, ['export-ocfl', at('first')])
    await done(at('elsewhere'), ['rebuild', '--from-ocfl', at('first')], env)
    await done(at('elsewhere'), ['export-ocfl', at('second')], env)
    await done(at('here'), ['rebuild', '--from-ocfl', at('second')])

    expect(await faultsOfRoot(at('second'))).toEqual([])
    const published = await dump(at('here'))
    expect(await dump(at('elsewhere'), env)).toEqual(published)
    const all = await dump(home.path)
    expect(all.dump).toEqual(expect.arrayContaining([...published.dump]))
    expect(all.numbers).toEqual(expect.arrayContaining([...published.numbers]))
    expect(await done(at('elsewhere'), ['check'], env)).toBe('')
  })
})
