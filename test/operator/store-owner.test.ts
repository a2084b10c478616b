import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { homeAt } from '../../daemon/home/home.ts'
import { openDatabase } from '../../daemon/stores/open-stores.ts'
import { useStore } from '../../daemon/stores/store-use.ts'
import { operateHere } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { filledDaemon, forgetMark, useBuckets } from './marked-bucket.ts'

const newBucket = useBuckets()

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
      expect(refused.stderr).toContain(`write {"service":"any"} to ${bucket.mark}`)
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
    for (const command of [['init'], ['config', 'check']]) {
      const { status, stderr } = await operateHere(other, command, bucket.env)
      expect(status).toBe(78)
      expect(stderr).toContain(`(${own} on ${hostname()})`)
      expect(stderr).toContain('depositd rebuild')
    }
    expect(existsSync(join(other, 'deposit.db'))).toBe(false)
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
    forgetMark(own)

    await expect(testDaemon({ home: other, env: bucket.env })).rejects.toThrow('There are records')
    expect(bucket.keys('service.json')).toEqual([])

    await using _ = await testDaemon({ home: own, env: bucket.env })
    expect(bucket.keys('service.json')).toHaveLength(1)
  })
})

describe('a store that cannot be marked', () => {
  it('is served all the same, with a warning, and marked by a later start', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    const mark = join(home, 'stores.json')
    await (await testDaemon({ home }))[Symbol.asyncDispose]()
    await rm(mark)
    await mkdir(mark)
    {
      await using daemon = await testDaemon({ home })
      expect(daemon.warnings().join()).toContain('have no mark')
    }
    await rm(mark, { recursive: true })

    await using daemon = await testDaemon({ home })

    expect(daemon.warnings()).toEqual([])
    expect(await readFile(mark, 'utf8')).toContain('"mark"')
  })
})

describe('the rows of a service on the bytes of another one', () => {
  it('are refused, until an operator gives these away', async () => {
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

    elsewhere.put('service.json', '{"service":"any"}')
    await using _ = await testDaemon({ home: own, env: elsewhere.env })
    expect(elsewhere.markText()).toContain('"since"')
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
    const told = { report: (error: unknown) => reported.push(error), notice: () => {} }
    await using use = await useStore(home, database, told, 20)

    const taken = newBucket()
    await (await filledDaemon(taken, other))[Symbol.asyncDispose]()
    bucket.takeMarkOf(taken)

    expect((await use.lost).message).toContain(`(${other} on ${hostname()})`)
    expect(reported).toEqual([])
  })
})
