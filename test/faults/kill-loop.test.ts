import { describe, expect, it } from 'vitest'
import { killLoop } from './kill/kill-loop.ts'

describe('kill -9', () => {
  it('loses no acknowledged operation and leaves none half done, in twenty rounds', async () => {
    const { figures, failures } = await killLoop.run({ seed: 20, rounds: 20, say: () => {} })

    expect(failures).toEqual([])
    expect(figures['acknowledged']).toBeGreaterThan(0)
  })
})
