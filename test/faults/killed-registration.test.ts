import { describe, expect, it } from 'vitest'
import { killedRegistration } from './kill/killed-registration.ts'

describe('DOIs, with DataCite failing and the daemon killed', () => {
  it('say what their records say in the end, after five kills', async () => {
    const { figures, failures } = await killedRegistration.run({
      seed: 5,
      rounds: 5,
      say: () => {},
    })

    expect(failures).toEqual([])
    expect(figures['of them failed']).toBeGreaterThan(0)
  })
})
