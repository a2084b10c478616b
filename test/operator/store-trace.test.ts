import { join } from 'node:path'
import { rm } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { daemonName, homeAt } from '../../daemon/home/home.ts'
import { operateHere } from '../support/depositd.ts'
import { hasS3, s3Credentials, startS3 } from '../support/s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { type Bucket, filledDaemon, forgetMark, useBuckets } from './marked-bucket.ts'

const newBucket = useBuckets()

/** A service that has ended, with a record and a draft in a bucket. */
async function endedService(bucket: Bucket) {
  const folder = await temporaryFolder()
  const home = join(folder.path, 'own')
  await (await filledDaemon(bucket, home))[Symbol.asyncDispose]()
  return {
    home,
    other: join(folder.path, 'other'),
    /** Lets the home know no place, as a home that is new. */
    asNew: () => rm(join(home, 'stores.json'), { force: true }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

async function refuses(home: string, env: Bucket['env'], said: string): Promise<void> {
  for (const command of [['gc'], ['check', '--quick'], ['config', 'check']]) {
    const { status, stderr } = await operateHere(home, command, env)
    expect([status, stderr]).toEqual([78, expect.stringContaining(said)])
  }
  await expect(testDaemon({ home, env })).rejects.toThrow(said)
}

describe('a place without a mark, with the rows of a service that has one', () => {
  it('is refused where it is empty, and stays so', async () => {
    const [bucket, wrong] = [newBucket(), newBucket()]
    await using service = await endedService(bucket)
    await service.asNew()

    await refuses(service.home, wrong.env, 'is not the store of its service: it has no mark')
    expect(wrong.keys()).toEqual([])

    await using _ = await testDaemon({ home: service.home, env: bucket.env })
  })

  it('is refused where it is a copy of the store, until the mark is copied', async () => {
    const [bucket, copy] = [newBucket(), newBucket()]
    await using service = await endedService(bucket)
    await service.asNew()
    for (const folder of ['blobs/', 'records/']) copy.takeAllOf(bucket, folder)

    await refuses(service.home, copy.env, 'it has no mark. Check DEPOSIT_HOME')

    copy.takeMarkOf(bucket)
    await using _ = await testDaemon({ home: service.home, env: copy.env })
  })

  it('is refused where the bucket was removed, which is not made again', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    bucket.removeAll()
    const { DEPOSIT_STORAGE_URL: url } = bucket.env
    const env = { DEPOSIT_STORAGE_URL: `${url}&create_bucket=true` }

    await refuses(service.home, env, 'and not the newest 2 files')
    expect(bucket.keys()).toEqual([])
  })

  it('is used by a service that has no files yet', async () => {
    const [bucket, second] = [newBucket(), newBucket()]
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    await (await testDaemon({ home, env: bucket.env }))[Symbol.asyncDispose]()
    await rm(join(home, 'stores.json'))

    await using _ = await testDaemon({ home, env: second.env })
  })
})

describe.skipIf(!hasS3())('a bucket that was removed, of an S3 server', () => {
  it('is not made again for rows that have files, and is for others', async () => {
    await using server = await startS3()
    const bucket = newBucket()
    await using service = await endedService(bucket)
    await service.asNew()
    for (const [name, value] of Object.entries(s3Credentials)) vi.stubEnv(name, value)
    const missing = `s3://missing/lab?endpoint=${server.endpoint}`
    const env = { DEPOSIT_STORAGE_URL: `${missing}&create_bucket=true` }

    await refuses(service.home, env, 'and not the newest 2 files')
    const without = { DEPOSIT_STORAGE_URL: missing }
    const check = await operateHere(service.home, ['config', 'check'], without)
    expect(check.stderr).toContain('There is no bucket missing')

    await (await testDaemon({ home: service.other, env }))[Symbol.asyncDispose]()
    await using _ = await testDaemon({ home: service.other, env: without })
  })
})

describe('a place without a mark, with the rows of an earlier version', () => {
  it('is marked where it has their files and no records of others', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    bucket.removeMark()
    forgetMark(service.home)

    await (await testDaemon({ home: service.home, env: bucket.env }))[Symbol.asyncDispose]()

    expect(bucket.markText()).toContain('"service"')
    const check = await operateHere(service.home, ['check'], bucket.env)
    expect(check).toMatchObject({ status: 0, stdout: '' })
  })

  it('is refused where it has files of others, with and without a record', async () => {
    const [bucket, theirs] = [newBucket(), newBucket()]
    await using service = await endedService(bucket)
    await using _ = await endedService(theirs)
    theirs.removeMark()
    forgetMark(service.home)
    await service.asNew()
    const before = theirs.keys()

    await refuses(service.home, theirs.env, 'and not the newest 2 files')

    // A mixture: their records beside the files of this one.
    theirs.takeAllOf(bucket, 'blobs/')
    await refuses(service.home, theirs.env, 'that are not in the database')
    expect(theirs.keys()).toEqual(expect.arrayContaining([...before]))
    expect(theirs.keys('service.json')).toEqual([])
  })
})

describe('the bytes of a service that were moved', () => {
  it('are used at their new place alone, and may be moved back', async () => {
    const [bucket, second] = [newBucket(), newBucket()]
    await using service = await endedService(bucket)
    const there = ['move', '--storage', second.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(service.home, there, bucket.env)).toMatchObject({ status: 0 })
    await service.asNew()

    const place = second.mark.replace('/service.json', '')
    await refuses(service.home, bucket.env, `they are in ${place}`)
    // It may be run again from where everything was, to compare.
    expect(await operateHere(service.home, there, bucket.env)).toMatchObject({ status: 0 })

    const back = ['move', '--storage', bucket.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(service.home, back, second.env)).toMatchObject({ status: 0 })
    await service.asNew()
    const old = bucket.mark.replace('/service.json', '')
    await refuses(service.home, second.env, `they are in ${old}`)
    await using _ = await testDaemon({ home: service.home, env: bucket.env })
  })

  it('stay usable with their old rows where those were moved as well', async () => {
    const [bucket, second] = [newBucket(), newBucket()]
    await using service = await endedService(bucket)
    const { DEPOSIT_STORAGE_URL: url } = second.env
    const both = ['move', '--to', service.other, '--storage', url]
    expect(await operateHere(service.home, both, bucket.env)).toMatchObject({ status: 0 })

    await (await testDaemon({ home: service.other, env: second.env }))[Symbol.asyncDispose]()
    const copy = newBucket()
    for (const part of ['blobs/', 'records/']) copy.takeAllOf(second, part)
    await rm(join(service.other, 'stores.json'))
    await refuses(service.other, copy.env, 'it has no mark. Check')
    await using _ = await testDaemon({ home: service.home, env: bucket.env })
  })

  it('are not used at the new place before all of them are there', async () => {
    const [bucket, second] = [newBucket(), newBucket()]
    await using service = await endedService(bucket)
    const there = ['move', '--storage', second.env.DEPOSIT_STORAGE_URL]
    const half = newBucket()
    second.whenWritten('records/', () => half.takeAllOf(second))
    expect(await operateHere(service.home, there, bucket.env)).toMatchObject({ status: 0 })
    expect(half.keys('blobs/')).toHaveLength(2)
    await service.asNew()

    await refuses(service.home, half.env, 'they are in s3://')
    const on = ['move', '--storage', half.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(service.home, on, second.env)).toMatchObject({ status: 0 })
    await using _ = await testDaemon({ home: service.home, env: half.env })
  })

  it('are not moved away from under a daemon of another home', async () => {
    const [bucket, second] = [newBucket(), newBucket()]
    await using service = await endedService(bucket)
    bucket.put('daemons/other.json', '{"host":"h","home":"/there","daemon":"d"}')

    const there = ['move', '--storage', second.env.DEPOSIT_STORAGE_URL]
    const { status, stderr } = await operateHere(service.home, there, bucket.env)

    expect([status, stderr]).toEqual([75, expect.stringContaining('by depositd on h with')])
    expect(second.keys('blobs/')).toEqual([])
  })
})

describe('a move after one that has crashed', () => {
  it('does not wait for it', async () => {
    const [bucket, second] = [newBucket(), newBucket()]
    await using service = await endedService(bucket)
    const daemon = await daemonName(homeAt(service.home))
    const crashed = JSON.stringify({ host: 'h', home: service.home, daemon })
    for (const { put } of [bucket, second]) put('daemons/crashed.json', crashed)

    const there = ['move', '--storage', second.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(service.home, there, bucket.env)).toMatchObject({ status: 0 })
    await using _ = await testDaemon({ home: service.home, env: second.env })
  })
})

describe('a rebuild beside another one', () => {
  it('names that command', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    bucket.put(
      'daemons/other.json',
      '{"host":"h","home":"/there","daemon":"d","program":"depositd rebuild"}',
    )

    const { status, stderr } = await operateHere(service.other, ['rebuild'], bucket.env)

    expect(status).toBe(75)
    expect(stderr).toContain('by depositd rebuild on h with the home /there')
    expect(stderr).toContain('Stop that command first')
  })
})
