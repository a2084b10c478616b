import { describe, expect, it } from 'vitest'
import { unless } from './obstacle.ts'
import { storeAway } from './away/store-away.ts'

describe.skipIf(unless(storeAway.name, storeAway.obstacle()))('An S3 server that goes away', () => {
  it('costs nothing that was acknowledged, and the service heals by itself, in six troubles', async () => {
    const { figures, failures } = await storeAway.run({ seed: 6, rounds: 6, say: () => {} })

    expect(failures).toEqual([])
    expect(figures['acknowledged']).toBeGreaterThan(0)
  })
})
