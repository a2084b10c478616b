import { expect, it } from 'vitest'
import { killedTarget } from './push/killed-target.ts'

it(
  'a push to our own interfaces survives kills of their daemon',
  { timeout: 120_000 },
  async () => {
    const { figures, failures } = await killedTarget.run({ seed: 7, rounds: 4, say: () => {} })

    expect(failures).toEqual([])
    expect(figures['kills of the daemon']).toBeGreaterThan(3)
  },
)
