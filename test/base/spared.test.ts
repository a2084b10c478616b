import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { spared } from '../../core/base/spared.ts'

describe('work that is spared', () => {
  it('is done once for all who ask at the same time, and each time where it is quick', async () => {
    let done = 0
    const ask = spared(async () => (done += 1))
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1])
    await sleep(0)
    expect(await ask()).toBe(2)
  })

  it('is not done again soon where it takes long', async () => {
    let done = 0
    const ask = spared(async () => {
      await sleep(300)
      return (done += 1)
    })
    expect(await ask()).toBe(1)
    expect(await ask()).toBe(1)
  })

  it('is done again after it failed', async () => {
    let done = 0
    const ask = spared(async () => {
      done += 1
      if (done === 1) throw new Error('once')
      return done
    })
    await expect(ask()).rejects.toThrow('once')
    expect(await ask()).toBe(2)
  })
})
