import { describe, expect, it } from 'vitest'
import { neighbours } from '../../core/base/neighbours.ts'
import { newBucketId, newVersionId, parseBlobId } from '../../core/files/file.ts'
import { mintDepositPid } from '../../core/pid/deposit-pid.ts'
import { mintRecid } from '../../core/pid/record-minters.ts'

describe('Neighbouring ids', () => {
  const next = neighbours(8)
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
    expect(neighbours(8)().slice(0, 8)).not.toBe(next().slice(0, 8))
  })
})

describe('What is made with a deposit', () => {
  it.each([
    ['its identifier', () => mintDepositPid().value, 3],
    ['its bucket', newBucketId, 8],
    ['a version of a file', newVersionId, 8],
    ['a recid', () => mintRecid().value, 2],
  ])('lies beside what was made before it: %s', (_, next, shared) => {
    const made = Array.from({ length: 1000 }, () => next())

    expect(new Set(made).size).toBe(made.length)
    expect(new Set(made.map((id) => id.slice(0, shared))).size).toBeLessThanOrEqual(5)
  })
})
