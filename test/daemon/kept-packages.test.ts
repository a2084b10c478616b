import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { KeptPackages } from '../../daemon/api/kept-packages.ts'

const packageOf = (filename: string) => ({
  filename,
  size: 0,
  etag: '""',
  read: () => Readable.from([]),
})

describe('packages that are kept', () => {
  it('are made once for all who ask, and one after another', async () => {
    const kept = new KeptPackages()
    let [made, underWay, most] = [0, 0, 0]
    const make = (name: string) => async () => {
      made += 1
      underWay += 1
      most = Math.max(most, underWay)
      await Promise.resolve()
      underWay -= 1
      return { made: packageOf(name), files: 1 }
    }

    const names = ['a', 'b', 'a', 'c', 'b', 'a']
    const found = await Promise.all(names.map((name) => kept.get(name, make(name))))

    expect(found.map(({ filename }) => filename)).toEqual(names)
    expect({ made, most }).toEqual({ made: 3, most: 1 })
  })

  it('are made again after a failure, which keeps no other from being made', async () => {
    const kept = new KeptPackages()
    const fail = () => Promise.reject(new Error('no rows'))
    const make = () => Promise.resolve({ made: packageOf('a'), files: 1 })

    const [failed, other] = await Promise.allSettled([kept.get('a', fail), kept.get('b', make)])

    expect([failed.status, other.status]).toEqual(['rejected', 'fulfilled'])
    expect((await kept.get('a', make)).filename).toBe('a')
  })

  it('are forgotten, the oldest first, where they have too many files together', async () => {
    const kept = new KeptPackages()
    const asked: string[] = []
    const get = (name: string) =>
      kept.get(name, () => {
        asked.push(name)
        return Promise.resolve({ made: packageOf(name), files: 40_000 })
      })

    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await get(name)

    expect(asked).toEqual(['a', 'b', 'c', 'b'])
  })
})
