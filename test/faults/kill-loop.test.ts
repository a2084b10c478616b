import { describe, expect, it } from 'vitest'
import { killLoop } from './kill/kill-loop.ts'

describe('kill -9', () => {
  it('loses nothing that was acknowledged and leaves nothing by halves, in twenty rounds', async () => {
    const { figures, failures } = await killLoop.run({ seed: 20, rounds: 20, say: () => {} })

    expect(failures).toEqual([])
    expect(figures['acknowledged']).toBeGreaterThan(0)
  })
})
