import { describe, expect, it } from 'vitest'
import { databaseAway } from './away/database-away.ts'
import { unless } from './obstacle.ts'

const { name, obstacle, run } = databaseAway

describe.skipIf(unless(name, obstacle()))('A PostgreSQL that goes away', () => {
  it('loses nothing that was acknowledged, and the service recovers by itself, in six troubles', async () => {
    const { figures, failures } = await run({ seed: 6, rounds: 6, say: () => {} })

    expect(failures).toEqual([])
    expect(figures['acknowledged']).toBeGreaterThan(0)
  })
})
