import { describe, expect, it } from 'vitest'
import { killedRegistration } from './dois/killed-registration.ts'
import { registeringDaemons, registeringObstacle } from './dois/registering-daemons.ts'
import { registrationPowerCuts } from './dois/registration-power-cuts.ts'
import { unless } from './obstacle.ts'
import { obstacle as powerObstacle } from './power/power-cuts.ts'

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

const daemonsObstacle = unless('DOIs of two daemons', registeringObstacle())

describe.skipIf(daemonsObstacle)('DOIs, with one of two daemons killed', () => {
  it('say what their records say in the end, and are in the hands of one daemon', async () => {
    const { figures, failures } = await registeringDaemons.run({
      seed: 6,
      rounds: 4,
      say: () => {},
    })

    expect(failures).toEqual([])
    expect(figures['of them failed']).toBeGreaterThan(0)
  })
})

describe.skipIf(unless('power cuts of DOIs', powerObstacle()))('DOIs, with the power cut', () => {
  it('are registered where that was told, and unknown where nothing was committed', async () => {
    const { figures, failures } = await registrationPowerCuts.run({
      seed: 7,
      rounds: 3,
      say: () => {},
    })

    expect(failures).toEqual([])
    expect(figures['told to be registered']).toBeGreaterThan(0)
  })
})
