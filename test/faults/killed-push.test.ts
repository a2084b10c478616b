import { describe, expect, it } from 'vitest'
import { killedPush } from './push/killed-push.ts'

describe('A push to a repository of others', () => {
  it('ends with one record for each version, after six kills in the middle of it', async () => {
    const { figures, failures } = await killedPush.run({ seed: 5, rounds: 6, say: () => {} })

    expect(failures).toEqual([])
    expect(figures['kills']).toBeGreaterThan(0)
  })
})
