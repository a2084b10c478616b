import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBucket } from '../../core/adapters/blobs/s3/open-bucket.ts'
import { runDepositd, spawnDepositd } from '../support/depositd.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { hasS3, s3Credentials, startS3, type S3Server } from '../support/s3.ts'
import { editSmall } from '../support/stored-blobs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { dumpOf } from './api-dump.ts'
import { homeWithData } from './home-with-data.ts'

describe.skipIf(!hasPostgres() || !hasS3())('depositd move', () => {
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

  /** Configuration of a new, empty PostgreSQL and a new, empty store. */
  async function institution() {
    return {
      DEPOSIT_DATABASE_URL: await postgres.database(randomUUID()),
      DEPOSIT_STORAGE_URL: s3.store(randomUUID()),
    }
  }

  async function dump(home: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
    await using daemon = await testDaemon({ home, env })
    return await dumpOf(daemon, randomUUID())
  }

  const toOptions = (env: Awaited<ReturnType<typeof institution>>): readonly string[] => [
    'move',
    '--to',
    env.DEPOSIT_DATABASE_URL,
    '--storage',
    env.DEPOSIT_STORAGE_URL,
  ]

  it('brings a home to PostgreSQL and S3 and back, with every byte, token and manifest', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const before = await dump(home.path)
    const env = await institution()

    const there = await runDepositd(home.path, toOptions(env))
    expect(there).toMatchObject({ status: 0, stdout: '' })
    expect(there.stderr).toMatch(/Copied 5 blobs, 1 manifest\./)
    expect(await dump(home.path, env)).toEqual(before)
    expect(await runDepositd(home.path, ['check'], env)).toMatchObject({ status: 0, stdout: '' })

    const back = join(place.path, 'back')
    expect((await runDepositd(home.path, ['move', '--to', back], env)).status).toBe(0)
    expect(await dump(back)).toEqual(before)
    expect(await runDepositd(back, ['check'])).toMatchObject({ status: 0, stdout: '' })
  })

  it('moves the bytes alone, and the rows alone', async () => {
    await using home = await homeWithData()
    const before = await dump(home.path)
    const { DEPOSIT_DATABASE_URL, DEPOSIT_STORAGE_URL } = await institution()

    const bytes = await runDepositd(home.path, ['move', '--storage', DEPOSIT_STORAGE_URL])
    expect(bytes.status).toBe(0)
    expect(await dump(home.path, { DEPOSIT_STORAGE_URL })).toEqual(before)

    const moveRows = ['move', '--to', DEPOSIT_DATABASE_URL]
    expect((await runDepositd(home.path, moveRows, { DEPOSIT_STORAGE_URL })).status).toBe(0)
    const env = { DEPOSIT_DATABASE_URL, DEPOSIT_STORAGE_URL }
    expect(await dump(home.path, env)).toEqual(before)
  })

  it('copies no rows that the service left behind, but for comparing them', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const { DEPOSIT_DATABASE_URL } = await institution()
    const there = ['move', '--to', DEPOSIT_DATABASE_URL]
    for (const _ of ['first', 'again'])
      expect(await runDepositd(home.path, there)).toMatchObject({ status: 0 })
    const now = await dump(home.path, { DEPOSIT_DATABASE_URL })
    const back = join(place.path, 'back')

    const refused = await runDepositd(home.path, ['move', '--to', back])
    expect(refused.status).toBe(78)
    expect(refused.stderr).toContain('DEPOSIT_DATABASE_URL is not set')
    expect(existsSync(join(back, 'deposit.db'))).toBe(false)

    // As the message says.
    const set = { DEPOSIT_DATABASE_URL }
    expect(await runDepositd(home.path, ['move', '--to', back], set)).toMatchObject({ status: 0 })
    expect(await dump(back)).toEqual(now)
  })

  it('continues when it is run again after a kill', async () => {
    await using home = await homeWithData()
    const before = await dump(home.path)
    const env = await institution()
    for (const delay of [400, 800, 1100]) {
      const child = spawnDepositd(home.path, toOptions(env))
      await sleep(delay)
      child.kill('SIGKILL')
      const { status } = await child.ended
      if (status === 0) break
    }
    expect(await runDepositd(home.path, toOptions(env))).toMatchObject({ status: 0 })
    expect(await dump(home.path, env)).toEqual(before)
  })

  it('checks the copies of an earlier run, and replaces wrong ones', async () => {
    await using home = await homeWithData()
    const before = await dump(home.path)
    const env = await institution()
    const first = ['move', '--storage', env.DEPOSIT_STORAGE_URL]
    expect((await runDepositd(home.path, first)).status).toBe(0)
    await damageOneIn(env.DEPOSIT_STORAGE_URL)

    expect((await runDepositd(home.path, toOptions(env))).status).toBe(0)
    expect(await dump(home.path, env)).toEqual(before)
  })

  it('names damaged files, copies the rest, and ends with 1', async () => {
    await using home = await homeWithData()
    const env = await institution()
    await rm(home.large[0] ?? '')
    editSmall(home.small[0] ?? '', 'DELETE FROM blobs WHERE id = @id')

    const { status, stdout } = await runDepositd(home.path, toOptions(env))

    expect(status).toBe(1)
    expect(stdout).toMatch(/^(?:damage\tblob\t[0-9a-f-]{36}\twas damaged already\n){2}$/)
  })

  it('needs a target, which is another place', async () => {
    await using home = await homeWithData()
    const env = await institution()
    expect((await runDepositd(home.path, toOptions(env))).status).toBe(0)

    const nowhere = await runDepositd(home.path, ['move'])
    expect(nowhere).toMatchObject({ status: 64 })
    for (const wrong of ['s3://bytes/p', 'postgre://x/y', 'postgres:/u@h/db']) {
      const { status, stderr } = await runDepositd(home.path, ['move', '--to', wrong])
      expect([status, stderr]).toEqual([64, expect.stringContaining(`${wrong} is neither`)])
    }
    const http = await runDepositd(home.path, ['move', '--storage', 'http://x'])
    expect(http).toMatchObject({ status: 64 })
    const here = await runDepositd(home.path, toOptions(env), env)
    expect(here.stderr).toContain('The configuration already names this place')
  })
})

async function damageOneIn(url: string): Promise<void> {
  using bucket = await openBucket(url, () => {})
  for await (const { key, size } of bucket.list('blobs/')) {
    await bucket.put(key, Buffer.alloc(size, '!'))
    return
  }
}
