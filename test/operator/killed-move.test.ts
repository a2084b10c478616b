import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { startStrictS3, type StrictS3 } from '../support/strict-s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { dumpOf } from './api-dump.ts'
import { homeWithData } from './home-with-data.ts'
import { filledDaemon, newBucket } from './marked-bucket.ts'

type Settings = Readonly<Record<string, string>>

const next = 'and it resumes: depositd move --to '

let s3: StrictS3
beforeAll(async () => {
  s3 = await startStrictS3()
})
afterAll(() => s3[Symbol.asyncDispose]())
afterEach(() => vi.unstubAllEnvs())

async function dump(home: string, env: Settings = {}): Promise<unknown> {
  await using daemon = await testDaemon({ home, env })
  return await dumpOf(daemon, randomUUID())
}

/** The daemon and every command refuse these rows, and say what to do. */
async function isRefused(home: string, env: Settings = {}): Promise<void> {
  await expect(testDaemon({ home, env })).rejects.toThrow(next)
  const there = join(home, '..', 'further')
  for (const args of [
    ['config', 'check'],
    ['check'],
    ['gc'],
    ['reindex'],
    ['user', 'list'],
    ['user', 'add', 'eve@example.org'],
    ['migrate'],
    ['init'],
    ['rebuild'],
    ['move', '--to', there],
  ]) {
    const { status, stderr } = await operateHere(home, args, env)
    expect([args, status, stderr]).toEqual([args, 78, expect.stringContaining(next)])
  }
  expect(existsSync(there)).toBe(false)
}

describe('a move to a folder that was killed at its first file', () => {
  it('leaves a home that is refused until the move has been run again', async () => {
    const bucket = newBucket(s3)
    await using place = await temporaryFolder()
    const [home, there] = [join(place.path, 'home'), join(place.path, 'there')]
    await (await filledDaemon(bucket, home))[Symbol.asyncDispose]()
    const before = await dump(home, bucket.env)
    const child = spawnDepositd(home, ['move', '--to', there], bucket.env)
    const { objects } = s3
    const get = objects.get.bind(objects)
    objects.get = (key) => {
      // Listings read them as well, before the folder is taken.
      if (key.includes('/blobs/') && existsSync(join(there, 'stores.json'))) child.kill('SIGKILL')
      return get(key)
    }
    expect(await child.ended).toMatchObject({ status: null })
    objects.get = get

    await isRefused(there)

    expect(await operateHere(home, ['move', '--to', there], bucket.env)).toMatchObject({
      status: 0,
    })
    expect(await operateHere(there, ['check'])).toMatchObject({ status: 0, stdout: '' })
    expect(await dump(there)).toEqual(before)
  })
})

describe.skipIf(!hasPostgres())('a move to PostgreSQL that was killed', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres[Symbol.asyncDispose]())

  /** An empty home, as of another machine. */
  async function newHome(folder: string): Promise<string> {
    await mkdir(join(folder, 'new'), { mode: 0o700 })
    return join(folder, 'new')
  }

  it('at the bytes leaves stores that are refused until the move has been run again', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const bucket = newBucket(s3)
    const url = await postgres.database(randomUUID())
    const env = { ...bucket.env, DEPOSIT_DATABASE_URL: url }
    const move = ['move', '--to', url, '--storage', bucket.env.DEPOSIT_STORAGE_URL]
    const before = await dump(home.path)
    const child = spawnDepositd(home.path, move)
    bucket.whenWritten('records/', () => child.kill('SIGKILL'))
    expect(await child.ended).toMatchObject({ status: null })

    const there = await newHome(place.path)
    await isRefused(there, env)
    const rebuild = await operateHere(there, ['rebuild'], env)
    expect([rebuild.status, rebuild.stderr]).toEqual([78, expect.stringContaining(next)])
    expect(rebuild.stderr).not.toContain(new URL(url).password)

    const again = await operateHere(home.path, move)
    expect(again).toMatchObject({ status: 0, stdout: '' })
    expect(again.stderr).toMatch(/Copied \d+ rows\./)
    expect(await operateHere(there, ['check'], env)).toMatchObject({ status: 0, stdout: '' })
    expect(await dump(home.path, env)).toEqual(before)
  })

  it('at the rows, which go alone, leaves a database that is refused until it is run again', async () => {
    const bucket = newBucket(s3)
    await using place = await temporaryFolder()
    const home = join(place.path, 'home')
    await (await filledDaemon(bucket, home))[Symbol.asyncDispose]()
    const before = await dump(home, bucket.env)
    const url = await postgres.migrated()
    const env = { ...bucket.env, DEPOSIT_DATABASE_URL: url }
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`SELECT pg_advisory_lock(1);
      CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_lock(1); RETURN NEW; END $$;
      CREATE TRIGGER stop BEFORE INSERT ON record_revisions FOR EACH ROW EXECUTE FUNCTION stop()`)
    const child = spawnDepositd(home, ['move', '--to', url], bucket.env)
    const isStopped = async (): Promise<boolean> => {
      const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
      return (await client.query(waiting)).rowCount === 1
    }
    await expect.poll(isStopped).toBe(true)
    child.kill('SIGKILL')
    await child.ended
    // The server ends its transaction when it meets the closed connection.
    await client.query('SELECT pg_advisory_unlock(1)')
    await client.query('DROP TRIGGER stop ON record_revisions')
    await client.end()

    await isRefused(await newHome(place.path), env)

    expect(await operateHere(home, ['move', '--to', url], bucket.env)).toMatchObject({ status: 0 })
    expect(await dump(home, env)).toEqual(before)
  })

  it('is resumed by its own service alone', async () => {
    await using home = await homeWithData()
    await using other = await homeWithData()
    other.edit("UPDATE shared_secrets SET value = 'other' WHERE name = 'service'")
    for (const mark of ['stores.json', 'blobs/.depositd.json']) await rm(join(other.path, mark))
    await using place = await temporaryFolder()
    const bucket = newBucket(s3)
    const url = await postgres.database(randomUUID())
    const move = ['move', '--to', url]
    const child = spawnDepositd(home.path, [...move, '--storage', bucket.env.DEPOSIT_STORAGE_URL])
    bucket.whenWritten('blobs/', () => child.kill('SIGKILL'))
    expect(await child.ended).toMatchObject({ status: null })

    const { status, stderr } = await operateHere(other.path, move)

    expect([status, stderr]).toEqual([78, expect.stringContaining(`The move from ${home.path} to`)])
    await isRefused(await newHome(place.path), { ...bucket.env, DEPOSIT_DATABASE_URL: url })
  })

  it('says to remove no bytes that were moved there before', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const bucket = newBucket(s3)
    const bytes = ['--storage', bucket.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(home.path, ['move', ...bytes])).toMatchObject({ status: 0 })
    const url = await postgres.database(randomUUID())
    const child = spawnDepositd(home.path, ['move', '--to', url, ...bytes])
    bucket.whenWritten('records/', () => child.kill('SIGKILL'))
    expect(await child.ended).toMatchObject({ status: null })

    const env = { ...bucket.env, DEPOSIT_DATABASE_URL: url }
    const { stderr } = await operateHere(await newHome(place.path), ['user', 'list'], env)

    expect(stderr).toMatch(/If it was given up, remove the database postgres:\S+\. Otherwise/)
  })

  it('is not said of a database whose move was refused', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const [taken, free] = [newBucket(s3), newBucket(s3)]
    const other = join(place.path, 'other')
    await (await filledDaemon(taken, other))[Symbol.asyncDispose]()
    const url = await postgres.database(randomUUID())
    const move = ['move', '--to', url, '--storage', taken.env.DEPOSIT_STORAGE_URL]

    expect(await operateHere(home.path, move)).toMatchObject({ status: 78 })

    const env = { ...free.env, DEPOSIT_DATABASE_URL: url }
    const check = await operateHere(await newHome(place.path), ['config', 'check'], env)
    expect(check).toMatchObject({ status: 0 })
  })
})
