import { cp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { homeAt } from '../../daemon/home/home.ts'
import { openDatabase } from '../../daemon/stores/open-stores.ts'
import { useStore } from '../../daemon/stores/store-use.ts'
import { listeningUrl, operateHere, spawnDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { type Bucket, filledDaemon, useBuckets } from './marked-bucket.ts'

const newBucket = useBuckets()

/** A service with its bytes in a bucket, which has ended. */
async function endedService(bucket: Bucket) {
  const folder = await temporaryFolder()
  const [own, copy] = [join(folder.path, 'own'), join(folder.path, 'copy')]
  await (await filledDaemon(bucket, own))[Symbol.asyncDispose]()
  return {
    own,
    copy,
    /** As `cp -a` does. */
    copyHome: () => cp(own, copy, { recursive: true, preserveTimestamps: true }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** Leaves in the bucket what a daemon of another machine has written, and returns it. */
async function crashElsewhere(bucket: Bucket, home: string): Promise<string> {
  await using _ = await testDaemon({ home, env: bucket.env })
  const stamp = { ...bucket.uses()[0], host: 'elsewhere' }
  const text = JSON.stringify(stamp)
  bucket.put('daemons/elsewhere.json', text)
  return text
}

const silent = { report: () => {}, notice: () => {} }

/** Uses the bytes of a home as its daemon does, with signs of life that follow each other fast. */
async function usedStore(home: string, { env }: Bucket) {
  const there = homeAt(home, { storageUrl: env.DEPOSIT_STORAGE_URL })
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await openDatabase(there, () => {}))
  const use = stack.use(await useStore(there, database, silent, 120))
  const owned = stack.move()
  return { lost: use.lost, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

describe('a copy of a home whose daemon runs, on the same bucket', () => {
  it('is not served, and its bytes are no garbage; the daemon starts again after kill -9', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    const { own, copy } = service
    await using running = new AsyncDisposableStack()
    const serve = (home: string) => {
      const child = spawnDepositd(home, ['serve', '--port', '0'], bucket.env)
      running.defer(() => void child.kill('SIGKILL'))
      return child
    }
    const original = serve(own)
    expect(await listeningUrl(original)).toMatch(/^http/)
    await service.copyHome()
    const before = bucket.keys()

    const copied = serve(copy)
    expect(await listeningUrl(copied)).toBeUndefined()
    const { status, stderr } = await copied.ended
    expect([status, stderr]).toEqual([75, expect.stringContaining(`with the home ${own}, which`)])
    expect(stderr).toContain('One of the two homes is a copy of the other.')
    const gc = await operateHere(copy, ['gc'], bucket.env)
    expect([gc.status, gc.stderr]).toEqual([75, expect.stringContaining('are in use')])
    expect(bucket.keys()).toEqual(before)

    original.kill('SIGKILL')
    await original.ended
    const again = serve(own)
    expect(await listeningUrl(again)).toMatch(/^http/)
    again.kill()
    expect(await again.ended).toMatchObject({ status: 0 })
  })

  it('is refused at once where it was copied before that daemon began', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    await service.copyHome()
    await crashElsewhere(bucket, service.own)

    await expect(testDaemon({ home: service.copy, env: bucket.env })).rejects.toThrow(
      'on elsewhere with the home',
    )

    await using _ = await testDaemon({ home: service.own, env: bucket.env })
  })

  it('ends at the next sign of life of that daemon, and does not start again', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    const stamp = await crashElsewhere(bucket, service.own)
    await service.copyHome()
    {
      await using use = await usedStore(service.copy, bucket)
      expect(bucket.keys('daemons/')).toHaveLength(2)

      bucket.put('daemons/elsewhere.json', stamp, new Date(Date.now() + 1000))

      const { reason, message } = await use.lost
      expect([reason, message]).toEqual(['busy', expect.stringContaining('is a copy of the other')])
      expect(bucket.keys('daemons/')).toHaveLength(1)
    }
    await expect(testDaemon({ home: service.copy, env: bucket.env })).rejects.toThrow('are in use')
  })

  it('is not served beside it where it begins while that daemon is frozen', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    await service.copyHome()
    await using use = await usedStore(service.own, bucket)
    const now = performance.now()

    bucket.put('daemons/copy.json', JSON.stringify({ ...bucket.uses()[0], run: 'copy' }))
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 190_000)

    expect(await use.lost).toMatchObject({ reason: 'busy' })
    clock.mockRestore()
  })
})

describe('a daemon that was frozen while a copy of its home was used, and ended', () => {
  it('ends: its rows are older than the bytes', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    await using use = await usedStore(service.own, bucket)
    const mark = JSON.parse(bucket.markText() ?? '{}') as Readonly<Record<string, object>>
    const last = { ...mark['last'], run: 'copy', home: service.copy }
    const now = performance.now()

    const taken = new Promise<undefined>((resolve) => {
      bucket.whenWritten('daemons/', () => {
        bucket.put('service.json', JSON.stringify({ ...mark, last }))
        bucket.whenWritten('service.json', () => resolve(undefined))
        vi.spyOn(performance, 'now').mockReturnValue(now + 190_000)
      })
    })

    const lost = await Promise.race([use.lost, taken])
    vi.restoreAllMocks()
    expect(lost).toMatchObject({
      reason: 'config',
      message: expect.stringContaining(service.copy) as unknown,
    })
    expect(JSON.parse(bucket.markText() ?? '{}')).toMatchObject({ last })
  })
})

describe('a home that was moved to another folder after a crash', () => {
  it('is served at once', async () => {
    const bucket = newBucket()
    await using service = await endedService(bucket)
    await crashElsewhere(bucket, service.own)
    await rename(service.own, service.copy)

    await using _ = await testDaemon({ home: service.copy, env: bucket.env })
  })
})
