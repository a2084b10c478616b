import { describe, expect, it } from 'vitest'
import { openBucket } from '../../core/adapters/blobs/s3/open-bucket.ts'
import { s3Credentials, startS3 } from '../support/s3.ts'
import { unless } from './obstacle.ts'
import { storeAway } from './away/store-away.ts'

describe.skipIf(unless(storeAway.name, storeAway.obstacle()))('An S3 server that goes away', () => {
  it('loses nothing that was acknowledged, and the service recovers by itself, in six troubles', async () => {
    const { figures, failures } = await storeAway.run({ seed: 6, rounds: 6, say: () => {} })

    expect(failures).toEqual([])
    expect(figures['acknowledged']).toBeGreaterThan(0)
  })

  it('counts as slow when it misses one check, and as unavailable after several', async () => {
    Object.assign(process.env, s3Credentials)
    await using server = await startS3()
    using bucket = await openBucket(server.store('slow'), () => {})
    const miss = (): Promise<void> => bucket.look(200)
    server.signal('SIGSTOP')
    try {
      await miss()
      expect(bucket.isReachable).toBe(true)
      const missed = Promise.resolve().then(async () => {
        for (let look = 0; look < 10; look += 1) await miss()
      })
      await expect(missed).rejects.toMatchObject({ code: 'storage_unavailable' })
      expect(bucket.isReachable).toBe(false)
    } finally {
      server.signal('SIGCONT')
    }
    await expect.poll(() => bucket.isReachable).toBe(true)
  })
})
