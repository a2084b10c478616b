import { describe, expect, it } from 'vitest'
import { parseBlobId, neighbours } from '../../core/files/file.ts'

describe('Neighbouring ids', () => {
  const next = neighbours()
  const ids = Array.from({ length: 10_000 }, next)

  it('are UUIDs, and no two are the same', () => {
    expect(ids.filter((id) => parseBlobId(id) === undefined)).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('share a prefix in long runs, so that an index has them on few pages', () => {
    const beginnings = ids.map((id) => id.slice(0, 8))
    const changes = beginnings.filter((beginning, index) => beginning !== beginnings[index - 1])
    expect(changes).toHaveLength(10)
  })

  it('begin differently in each source', () => {
    expect(neighbours()().slice(0, 8)).not.toBe(next().slice(0, 8))
  })
})
