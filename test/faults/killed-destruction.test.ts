import { describe, expect, it } from 'vitest'
import { killedDestruction } from './kill/killed-destruction.ts'

describe('Files that are destroyed with a withdrawal', () => {
  it('are all there or all gone, after eight kills in the middle of it', async () => {
    const { figures, failures } = await killedDestruction.run({
      seed: 3,
      rounds: 8,
      say: () => {},
    })

    expect(failures).toEqual([])
    expect(figures['withdrawn']).toBeGreaterThan(0)
  })
})
