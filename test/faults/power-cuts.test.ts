import { describe, expect, it } from 'vitest'
import { unless } from './obstacle.ts'
import { obstacle, powerCuts } from './power/power-cuts.ts'

describe.skipIf(unless('power cuts', obstacle()))('power cuts', () => {
  it('lose nothing that was acknowledged, on two file systems', async () => {
    const { figures, failures } = await powerCuts.run({ seed: 20, rounds: 2, say: () => {} })

    expect(failures).toEqual([])
    expect(figures['acknowledged']).toBeGreaterThan(0)
  })
})
