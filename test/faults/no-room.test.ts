import { describe, expect, it } from 'vitest'
import { unless } from './obstacle.ts'
import { noRoom } from './room/no-room.ts'

describe.skipIf(unless('running out of room', noRoom.obstacle()))('a service without space', () => {
  it('refuses uploads, keeps nothing of them, and still reads and deletes', async () => {
    const { failures } = await noRoom.run({ seed: 20, say: () => {} })

    expect(failures).toEqual([])
  })
})
