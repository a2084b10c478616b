import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { startStrictS3, type StrictS3 } from '../support/strict-s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { dumpOf } from './api-dump.ts'
import { homeWithData } from './home-with-data.ts'
import { newBucket } from './marked-bucket.ts'

const complete = /An earlier move has copied \d+ rows\.\nThe move is complete\. /

async function dump(home: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  await using daemon = await testDaemon({ home, env })
  return await dumpOf(daemon, randomUUID())
}

describe('a move to a folder that is run again after its end', () => {
  it('says that it is complete and how to start there, and leaves everything', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const move = ['move', '--to', join(place.path, 'there')]
    const first = await operateHere(home.path, move)
    expect(first).toMatchObject({ status: 0, stdout: '' })

    const again = await operateHere(home.path, move)

    expect(again).toMatchObject({ status: 0, stdout: '' })
    expect(again.stderr).toMatch(complete)
    const [said = ''] = first.stderr.split('\n').slice(-2)
    expect(again.stderr).toContain(said)
    expect(said).toContain('Start the daemon with')
    expect(await dump(join(place.path, 'there'))).toEqual(await dump(home.path))
  })

  it('copies a file again that is missing there', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const there = join(place.path, 'there')
    expect(await operateHere(home.path, ['move', '--to', there])).toMatchObject({ status: 0 })
    await rm((home.large[0] ?? '').replace(home.path, there))
    expect(await operateHere(there, ['check'])).toMatchObject({ status: 1 })

    expect(await operateHere(home.path, ['move', '--to', there])).toMatchObject({ status: 0 })

    expect(await operateHere(there, ['check'])).toMatchObject({ status: 0, stdout: '' })
  })

  it('is refused when either side was changed since', async () => {
    for (const changed of ['source', 'target'] as const) {
      await using home = await homeWithData()
      await using place = await temporaryFolder()
      const there = join(place.path, 'there')
      expect(await operateHere(home.path, ['move', '--to', there])).toMatchObject({ status: 0 })
      {
        await using daemon = await testDaemon({ home: changed === 'source' ? home.path : there })
        await daemon.as('eve').createDraft()
      }

      const again = await operateHere(home.path, ['move', '--to', there])

      const said = `${there} has rows already of this service, and they are not as they are here: it was used at one of the two places since.`
      expect([changed, again.status, again.stderr]).toEqual([
        changed,
        1,
        expect.stringContaining(said),
      ])
    }
  })

  it('is refused where the rows are those of another service', async () => {
    await using home = await homeWithData()
    await using other = await homeWithData()
    await using place = await temporaryFolder()
    const there = join(place.path, 'there')
    other.edit("UPDATE shared_secrets SET value = 'other' WHERE name = 'service'")
    for (const mark of ['stores.json', 'blobs/.depositd.json']) await rm(join(other.path, mark))
    expect(await operateHere(other.path, ['move', '--to', there])).toMatchObject({ status: 0 })

    const refused = await operateHere(home.path, ['move', '--to', there])

    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain(`${there} has rows already. Name a new one.`)
  })
})

describe.skipIf(!hasPostgres())('a move to PostgreSQL and S3', () => {
  let postgres: PostgresServer
  let s3: StrictS3
  beforeAll(async () => {
    ;[postgres, s3] = await Promise.all([startPostgres(), startStrictS3()])
  })
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]()
    await s3[Symbol.asyncDispose]()
  })
  afterEach(() => vi.unstubAllEnvs())

  it('is complete when it is run again after a kill that came once its rows were there', async () => {
    await using home = await homeWithData()
    const bucket = newBucket(s3)
    const url = await postgres.migrated()
    const env = { ...bucket.env, DEPOSIT_DATABASE_URL: url }
    const move = ['move', '--to', url, '--storage', bucket.env.DEPOSIT_STORAGE_URL]
    const before = await dump(home.path)
    const child = spawnDepositd(home.path, move)
    // The first mark claims the bucket, before the rows; the second says that all of them are there.
    const kill = (): unknown => child.kill('SIGKILL')
    bucket.whenWritten('service.json', () => bucket.whenWritten('service.json', kill))
    expect(await child.ended).toMatchObject({ status: null })

    const again = await operateHere(home.path, move)

    const third = await operateHere(home.path, move)
    expect([third.status, third.stderr]).toEqual([0, expect.stringMatching(complete)])
    expect(again).toMatchObject({ status: 0, stdout: '' })
    expect(again.stderr).toMatch(complete)
    expect(again.stderr).toContain('Start the daemon with DEPOSIT_DATABASE_URL')
    expect(await operateHere(home.path, ['check'], env)).toMatchObject({ status: 0, stdout: '' })
    expect(await dump(home.path, env)).toEqual(before)
  })
})
