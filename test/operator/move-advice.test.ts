import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { startStrictS3, type StrictS3 } from '../support/strict-s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { homeWithData } from './home-with-data.ts'
import { newBucket } from './marked-bucket.ts'

let s3: StrictS3
beforeAll(async () => {
  s3 = await startStrictS3()
})
afterAll(() => s3[Symbol.asyncDispose]())
afterEach(() => vi.unstubAllEnvs())

/** The advice of a move. */
function adviceIn(stderr: string) {
  const [, settings = '', leftovers = ''] =
    /Start the daemon (.*)\. Once it runs, (.*) can be removed/.exec(stderr) ?? []
  const values = [...settings.matchAll(/(DEPOSIT_[A-Z_]+)=(\S+?)(?=,? (?:and|without)|$)/g)]
  return {
    settings,
    env: Object.fromEntries(values.map(([, name = '', value = '']) => [name, value] as const)),
    leftovers: leftovers.split(/, | and /),
  }
}

/** Removes what a move says is not needed any more, and nothing else. */
async function removeAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (name.startsWith('/')) await rm(name, { recursive: true })
    else if (name.startsWith('s3://')) {
      const start = name.slice('s3://'.length)
      const keys = [...s3.objects.keys()].filter((key) => key.startsWith(start))
      expect(keys).not.toEqual([])
      for (const key of keys) s3.objects.delete(key)
    }
  }
}

async function isWhole(home: string, env: Readonly<Record<string, string>>): Promise<void> {
  await (await testDaemon({ home, env }))[Symbol.asyncDispose]()
  const check = await operateHere(home, ['check'], env)
  expect(check).toMatchObject({ status: 0, stdout: '' })
  expect(check.stderr).toContain('5 blobs')
}

describe('a move of the bytes', () => {
  it('names what to start with and what to remove, there and back', async () => {
    const [one, two] = [newBucket(s3), newBucket(s3)]
    await using home = await homeWithData()
    const { path } = home

    const there = await operateHere(path, ['move', '--storage', one.env.DEPOSIT_STORAGE_URL])
    expect(there.status).toBe(0)
    expect(there.stderr).toContain('Copied 5 blobs, 1 manifest.\n')
    expect(there.stderr).toContain(`the rows stay in ${join(path, 'deposit.db')}.`)
    expect(there.stderr).not.toContain('not changed')
    const first = adviceIn(there.stderr)
    expect(first.env).toEqual(one.env)
    expect(first.leftovers).toContain(join(path, 'blobs'))
    await isWhole(path, first.env)
    await removeAll(first.leftovers)
    await isWhole(path, first.env)

    const on = ['move', '--storage', two.env.DEPOSIT_STORAGE_URL]
    const second = adviceIn((await operateHere(path, on, one.env)).stderr)
    await removeAll(second.leftovers)
    expect(one.keys()).toEqual([one.mark.slice('s3://'.length)])
    await isWhole(path, second.env)

    const back = await operateHere(path, ['move', '--to', path], two.env)
    expect(back.stderr).toContain('Start the daemon without DEPOSIT_STORAGE_URL.')
    await removeAll(adviceIn(back.stderr).leftovers)
    await isWhole(path, {})
  })

  it('goes on at the new place with a damaged file, which it names', async () => {
    const bucket = newBucket(s3)
    await using home = await homeWithData()
    await rm(home.large[0] ?? '')

    const move = ['move', '--storage', bucket.env.DEPOSIT_STORAGE_URL]
    const { status, stdout, stderr } = await operateHere(home.path, move)

    expect([status, stdout]).toEqual([1, expect.stringMatching(/^damage\tblob\t.*\n$/)])
    expect(stderr).toContain('The bytes of 1 damaged file were left out')
    const { env } = adviceIn(stderr)
    await (await testDaemon({ home: home.path, env }))[Symbol.asyncDispose]()
    expect((await operateHere(home.path, ['check'], env)).status).toBe(1)
  })
})

describe.skipIf(!hasPostgres())('a move of the rows', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres[Symbol.asyncDispose]())

  it('names what to start with and what to remove, alone and with the bytes', async () => {
    const bucket = newBucket(s3)
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const { path } = home
    const url = await postgres.database('rows')

    const rows = await operateHere(path, ['move', '--to', url])
    expect(rows.status).toBe(0)
    expect(rows.stderr).toContain(`the bytes stay in ${join(path, 'blobs')}.`)
    const first = adviceIn(rows.stderr)
    expect(first.settings).toMatch(/^with DEPOSIT_DATABASE_URL naming postgres/)
    const database = { DEPOSIT_DATABASE_URL: url }
    await removeAll(first.leftovers)
    expect((await readdir(path)).filter((name) => name.startsWith('deposit.db'))).toEqual([])
    await isWhole(path, database)

    const there = join(place.path, 'there')
    const both = ['move', '--to', there, '--storage', bucket.env.DEPOSIT_STORAGE_URL]
    const moved = await operateHere(path, both, database)
    expect(moved.stderr).toContain(`those in postgres`)
    const second = adviceIn(moved.stderr)
    expect(second.env).toMatchObject({ ...bucket.env, DEPOSIT_HOME: there })
    expect(second.settings).toContain('without DEPOSIT_DATABASE_URL')
    await removeAll(second.leftovers)
    await isWhole(there, bucket.env)
  })

  it('names every file of the databases that it leaves behind, and no other', async () => {
    const bucket = newBucket(s3)
    await using home = await homeWithData()
    const to = [
      '--to',
      await postgres.database('files'),
      '--storage',
      bucket.env.DEPOSIT_STORAGE_URL,
    ]

    const { stderr } = await operateHere(home.path, ['move', ...to])

    await removeAll(adviceIn(stderr).leftovers)
    const left = await readdir(home.path)
    expect(left.filter((name) => name.includes('.db'))).toEqual([])
  })
})
