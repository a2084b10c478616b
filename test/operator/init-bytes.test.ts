import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { homeWithData } from './home-with-data.ts'
import { filledDaemon, useBuckets } from './marked-bucket.ts'

const newBucket = useBuckets()

describe('depositd init on the bucket of another service', () => {
  it('is refused as the start would be, leaves nothing, and takes another bucket then', async () => {
    const [taken, free] = [newBucket(), newBucket()]
    await using folder = await temporaryFolder()
    await using _ = await filledDaemon(taken, join(folder.path, 'own'))
    const home = join(folder.path, 'new')
    const before = taken.keys()

    const { status, stderr } = await operateHere(home, ['init'], taken.env)

    expect([status, stderr]).toEqual([78, expect.stringContaining('are those of the service')])
    expect(stderr).toContain('DEPOSIT_STORAGE_URL to another bucket or prefix')
    expect(await readdir(folder.path)).toEqual(['own'])
    expect(taken.keys()).toEqual(before)
    expect(await operateHere(home, ['init'], free.env)).toMatchObject({ status: 0 })
    await (await testDaemon({ home, env: free.env }))[Symbol.asyncDispose]()
  })

  it('is refused where its mark was removed, and its records are there', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    await (await filledDaemon(bucket, join(folder.path, 'own')))[Symbol.asyncDispose]()
    bucket.removeMark()

    const { status, stderr } = await operateHere(join(folder.path, 'new'), ['init'], bucket.env)

    expect([status, stderr]).toEqual([78, expect.stringContaining('There are records in s3://')])
    expect(await readdir(folder.path)).toEqual(['own'])
  })

  it('is refused in the middle of a move there', async () => {
    const bucket = newBucket()
    await using home = await homeWithData()
    await using folder = await temporaryFolder()
    const storage = ['--storage', bucket.env.DEPOSIT_STORAGE_URL]
    const child = spawnDepositd(home.path, ['move', ...storage])
    bucket.whenWritten('blobs/', () => child.kill('SIGKILL'))
    expect(await child.ended).toMatchObject({ status: null })

    const { status } = await operateHere(join(folder.path, 'new'), ['init'], bucket.env)

    expect(status).toBe(78)
    expect(await readdir(folder.path)).toEqual([])
    expect(await operateHere(home.path, ['move', ...storage])).toMatchObject({ status: 0 })
  })

  it.skipIf(!hasPostgres())('leaves an empty home and a new database as they are', async () => {
    await using postgres = await startPostgres()
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    await (await filledDaemon(bucket, join(folder.path, 'own')))[Symbol.asyncDispose]()
    const url = await postgres.database('new')
    await using home = await temporaryFolder()

    const env = { ...bucket.env, DEPOSIT_DATABASE_URL: url }
    expect(await operateHere(home.path, ['init'], env)).toMatchObject({ status: 78 })

    expect(await readdir(home.path)).toEqual([])
    // No tables were made: those of a service would be kept.
    expect(await operateHere(home.path, ['user', 'list'], env)).toMatchObject({ status: 66 })
  })
})

it('depositd init is refused where a home has bytes, and has lost its rows', async () => {
  await using home = await homeWithData()
  for (const name of await readdir(home.path))
    if (name.startsWith('deposit.db')) await rm(join(home.path, name))

  const { status, stderr } = await operateHere(home.path, ['init'])

  expect([status, stderr]).toEqual([78, expect.stringContaining('run depositd rebuild')])
  expect(await readdir(home.path)).not.toContain('deposit.db')
  expect(await operateHere(home.path, ['rebuild'])).toMatchObject({ status: 0 })
})
