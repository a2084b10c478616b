import { describe, expect, it } from 'vitest'
import { unless } from './obstacle.ts'
import { noRoom } from './room/no-room.ts'

describe.skipIf(unless('running out of room', noRoom.obstacle()))('without room', () => {
  it('refuses uploads, keeps nothing of them, goes on reading and deleting', async () => {
    const { failures } = await noRoom.run({ seed: 20, say: () => {} })

    expect(failures).toEqual([])
  })
})
