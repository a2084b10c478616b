import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { homeAt } from '../../daemon/home/home.ts'
import { openDatabase } from '../../daemon/stores/open-stores.ts'
import { useStore } from '../../daemon/stores/store-owner.ts'
import { operateHere } from '../support/depositd.ts'
import { startStrictS3, type StrictS3 } from '../support/strict-s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

let s3: StrictS3
beforeAll(async () => {
  s3 = await startStrictS3()
})
afterAll(() => s3[Symbol.asyncDispose]())

/** A bucket of its own, and what is in it. */
function newBucket() {
  const name = crypto.randomUUID()
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  const keys = (folder: string): readonly string[] =>
    [...s3.objects.keys()].filter((key) => key.startsWith(`${name}/${folder}`)).sort()
  const put = (key: string, text: string): void => {
    const object = { bytes: Buffer.from(text), checksum: '', modified: new Date() }
    s3.objects.set(`${name}/lab/${key}`, object)
  }
  return {
    env: { DEPOSIT_STORAGE_URL: `s3://${name}/lab?endpoint=${s3.endpoint}&region=x` },
    keys: (folder = '') => keys(`lab/${folder}`),
    mark: `s3://${name}/lab/service.json`,
    markText: () => s3.objects.get(`${name}/lab/service.json`)?.bytes.toString(),
    put,
    remove: (key: string) => s3.objects.delete(`${name}/lab/${key}`),
    /** Runs `work` right before an object whose key begins so is next written. */
    whenWritten: (start: string, work: () => void) => {
      const { objects } = s3
      const set = objects.set.bind(objects)
      objects.set = (key, object) => {
        if (key.startsWith(`${name}/lab/${start}`)) {
          objects.set = set
          work()
        }
        return set(key, object)
      }
    },
    removeMark: () => s3.objects.delete(`${name}/lab/service.json`),
    takeMarkOf: (other: { readonly mark: string }) => {
      const mark = s3.objects.get(other.mark.slice('s3://'.length))
      if (mark) s3.objects.set(`${name}/lab/service.json`, mark)
    },
    /** Keeps what processes that use it have written, as a crash does. */
    keepUses: () => {
      for (const key of keys('lab/daemons/')) {
        const object = s3.objects.get(key)
        if (object) s3.objects.set(key.replace(/[^/]+$/, 'crashed.json'), object)
      }
    },
    /** Makes all processes that use it as old as that. */
    age: (ms: number) => {
      for (const key of keys('lab/daemons/')) {
        const object = s3.objects.get(key)
        if (object) s3.objects.set(key, { ...object, modified: new Date(Date.now() - ms) })
      }
    },
  }
}

type Bucket = ReturnType<typeof newBucket>

/** Publishes a record in a bucket and leaves a draft; returns the daemon. */
async function filledDaemon({ env, keys }: Bucket, home: string) {
  const daemon = await testDaemon({ home, env })
  const ada = daemon.as('ada')
  await ada.publish(await ada.createDraftWith('a.csv'))
  await ada.createDraftWith('b.csv')
  await expect.poll(() => keys('records/')).toHaveLength(1)
  return daemon
}

describe('a rebuild on the bucket of a service that runs', () => {
  it('is refused, names the daemon, and touches nothing', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await using _ = await filledDaemon(bucket, own)
    const before = bucket.keys()

    const { status, stderr } = await operateHere(other, ['rebuild'], bucket.env)

    expect(status).toBe(75)
    expect(stderr).toContain(`in use: by depositd on ${hostname()} with the home ${own}`)
    expect(stderr).toMatch(/run the command again in \d+ s/)
    expect(bucket.keys()).toEqual(before)
    expect(bucket.keys('blobs/')).toHaveLength(2)
  })

  it('is refused for three minutes after a crash', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await using _ = await filledDaemon(bucket, own)

    bucket.age(170_000)
    expect(await operateHere(other, ['rebuild'], bucket.env)).toMatchObject({ status: 75 })
    bucket.age(190_000)
    expect(await operateHere(other, ['rebuild'], bucket.env)).toMatchObject({ status: 0 })
  })
})

describe('a rebuild and a daemon that begin at the same moment', () => {
  it('do not both go on: the rebuild sees the daemon, and puts the mark back', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
    const before = bucket.keys()
    const mark = bucket.markText()

    bucket.whenWritten('service.json', () => bucket.put('daemons/late.json', '{}'))
    const { status } = await operateHere(other, ['rebuild'], bucket.env)

    expect(status).toBe(75)
    expect(bucket.markText()).toBe(mark)
    bucket.remove('daemons/late.json')
    expect(bucket.keys()).toEqual(before)
    await using _ = await testDaemon({ home: own, env: bucket.env })
  })

  it('do not both go on: the daemon sees the new mark, and ends', async () => {
    const [bucket, taken] = [newBucket(), newBucket()]
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
    await (await filledDaemon(taken, other))[Symbol.asyncDispose]()

    bucket.whenWritten('daemons/', () => bucket.takeMarkOf(taken))
    const started = testDaemon({ home: own, env: bucket.env })

    await expect(started).rejects.toThrow(`(${other} on ${hostname()})`)
    expect(bucket.keys('daemons/')).toEqual([])
  })
})

describe('a rebuild on the bucket of a service that has ended', () => {
  it('takes the bucket over, and the old service no longer starts', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
    expect(bucket.keys('daemons/')).toEqual([])

    const rebuilt = await operateHere(other, ['rebuild'], bucket.env)
    expect(rebuilt.stderr).toContain('Rebuilt 1 record')
    expect(rebuilt.status).toBe(0)
    expect(bucket.keys('daemons/')).toEqual([])

    const refusal = `The bytes in ${bucket.mark.replace('/service.json', '')} are those of the service`
    await expect(testDaemon({ home: own, env: bucket.env })).rejects.toThrow(refusal)
    for (const command of [['gc'], ['check', '--quick']]) {
      const refused = await operateHere(own, command, bucket.env)
      expect(refused).toMatchObject({ status: 78 })
      expect(refused.stderr).toContain(`(${other} on ${hostname()})`)
      expect(refused.stderr).toContain(`remove ${bucket.mark} first`)
    }
    await using _ = await testDaemon({ home: other, env: bucket.env })
    expect(bucket.keys('daemons/')).toHaveLength(1)
  })
})

describe('rows that are new, on the bytes of another service', () => {
  it('are refused by daemon and commands, which name rebuild', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await using _ = await filledDaemon(bucket, own)
    const before = bucket.keys()

    await expect(testDaemon({ home: other, env: bucket.env })).rejects.toThrow('depositd rebuild')
    const gc = await operateHere(other, ['gc'], bucket.env)

    expect(gc.status).toBe(78)
    expect(gc.stderr).toContain(`(${own} on ${hostname()})`)
    expect(gc.stderr).toContain('depositd rebuild')
    expect(bucket.keys()).toEqual(before)
  })

  it('are refused in a home whose database was removed, and rebuilt', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    {
      await using daemon = await testDaemon({ home })
      const ada = daemon.as('ada')
      await ada.publish(await ada.createDraftWith('a.csv'))
    }
    for (const end of ['', '-wal', '-shm'])
      await rm(join(home, `deposit.db${end}`), { force: true })

    await expect(testDaemon({ home })).rejects.toThrow('depositd rebuild')

    expect(await operateHere(home, ['rebuild'])).toMatchObject({ status: 0 })
    await using _ = await testDaemon({ home })
  })

  it('are refused on records from before there were marks, whose service marks them', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
    bucket.removeMark()

    await expect(testDaemon({ home: other, env: bucket.env })).rejects.toThrow('There are records')
    expect(bucket.keys('service.json')).toEqual([])

    await using _ = await testDaemon({ home: own, env: bucket.env })
    expect(bucket.keys('service.json')).toHaveLength(1)
  })
})

describe('the rows of a service on the bytes of another one', () => {
  it('are refused, until an operator has removed the mark', async () => {
    const bucket = newBucket()
    const elsewhere = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
    await (await filledDaemon(elsewhere, other))[Symbol.asyncDispose]()
    await rm(join(own, 'stores.json'))

    const swapped = await operateHere(own, ['gc'], elsewhere.env)
    expect(swapped.status).toBe(78)
    expect(swapped.stderr).toContain('to the stores of one service')
    await expect(testDaemon({ home: own, env: elsewhere.env })).rejects.toThrow(
      'those of the service',
    )

    elsewhere.removeMark()
    await using _ = await testDaemon({ home: own, env: elsewhere.env })
  })

  it('are not moved there', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
    {
      await using daemon = await testDaemon({ home: other })
      await daemon.as('ada').createDraftWith('c.csv')
    }
    const before = bucket.keys()

    const move = ['move', '--storage', bucket.env.DEPOSIT_STORAGE_URL]
    expect((await operateHere(other, move)).status).toBe(78)
    expect(bucket.keys()).toEqual(before)
  })
})

describe('a copy of the rows of a service, in the home of another daemon', () => {
  it('is refused on the same bytes while the service runs; a crashed daemon starts again', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, copy] = [join(folder.path, 'own'), join(folder.path, 'copy')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
    const move = ['move', '--to', copy, '--storage', bucket.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(own, move, bucket.env)).toMatchObject({ status: 0 })
    {
      await using _ = await testDaemon({ home: own, env: bucket.env })

      await expect(testDaemon({ home: copy, env: bucket.env })).rejects.toThrow('are in use')
      bucket.keepUses()
    }
    expect(bucket.keys('daemons/')).toHaveLength(1)

    await (await testDaemon({ home: own, env: bucket.env }))[Symbol.asyncDispose]()
    bucket.age(190_000)
    await using _ = await testDaemon({ home: copy, env: bucket.env })
  })
})

describe('the service that was moved', () => {
  it('has its bytes and rows at the new place, and can be moved back', async () => {
    const [bucket, second] = [newBucket(), newBucket()]
    await using folder = await temporaryFolder()
    const [own, back] = [join(folder.path, 'own'), join(folder.path, 'back')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()

    const there = ['move', '--storage', second.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(own, there, bucket.env)).toMatchObject({ status: 0 })
    await (await testDaemon({ home: own, env: second.env }))[Symbol.asyncDispose]()

    expect(await operateHere(own, ['move', '--to', back], second.env)).toMatchObject({ status: 0 })
    await (await testDaemon({ home: back }))[Symbol.asyncDispose]()
    const again = ['move', '--storage', second.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(back, again)).toMatchObject({ status: 0 })
    await using _ = await testDaemon({ home: back, env: second.env })
  })
})

describe('a daemon whose store is taken over while it runs', () => {
  it('notices it', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
    const home = homeAt(own, { storageUrl: bucket.env.DEPOSIT_STORAGE_URL })
    await using database = await openDatabase(home, () => {})
    const reported: unknown[] = []
    await using use = await useStore(home, database, (error) => reported.push(error), 20)

    const taken = newBucket()
    await (await filledDaemon(taken, other))[Symbol.asyncDispose]()
    bucket.takeMarkOf(taken)

    expect(await use.lost).toContain(`(${other} on ${hostname()})`)
    expect(reported).toEqual([])
  })
})
