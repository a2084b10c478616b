import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { collect } from '../support/collect.ts'
import { useDeposits } from '../support/use-deposits.ts'
import type { CurrentFixture } from './database.contract.ts'

export function countsContract(current: CurrentFixture): void {
  const counted = async () => {
    const { deposits, records } = current().database.read
    return { ...(await deposits.countByStatus({ of: 'deposits' })), records: await records.count() }
  }
  const listed = async () => {
    const { deposits, records } = current().database.read
    const statuses = (await collect(deposits.each({ of: 'deposits' }))).map(({ status }) => status)
    return {
      draft: statuses.filter((status) => status === 'draft').length,
      published: statuses.filter((status) => status === 'published').length,
      records: (await collect(records.eachListed())).length,
    }
  }

  it('counts as many as there are, whatever was done to them since the last time', async () => {
    for (let count = 1; count <= 7; count += 1) {
      await useDeposits(current().database, count)
      expect(await counted()).toEqual(await listed())
      expect(await counted()).toEqual(await listed())
    }
  })

  it('counts them while there are many who write', async () => {
    const writing = new AbortController()
    const looking = (async () => {
      while (!writing.signal.aborted) {
        await counted()
        // What is remembered is answered at once: others get their turn.
        await setImmediate()
      }
    })()
    await Promise.all(Array.from({ length: 12 }, () => useDeposits(current().database, 14)))
    writing.abort()
    await looking

    expect(await counted()).toEqual(await listed())
  })
}
