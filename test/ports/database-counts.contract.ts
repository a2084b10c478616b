import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { parseUserId } from '../../core/access/caller.ts'
import type { UnitOfWork } from '../../core/ports/database.ts'
import { collect } from '../support/collect.ts'
import { useDeposits } from '../support/use-deposits.ts'
import { at, sampleDraft, sampleRecord } from '../support/rows.ts'
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

  it('counts correctly after any change since the last count', async () => {
    for (let count = 1; count <= 7; count += 1) {
      await useDeposits(current().database, count)
      expect(await counted()).toEqual(await listed())
      expect(await counted()).toEqual(await listed())
    }
  })

  it('adds up the metadata of a user after every kind of change', async () => {
    const { database } = current()
    const usage = async () => database.read.usage.metadata(user)
    const user = parseUserId('adding-up')
    const text = (length: number) => ({ title: 'x'.repeat(length) })
    const draft = sampleDraft({ owners: [user], createdBy: user, metadata: text(1000) })
    const added = async (work: (unit: UnitOfWork) => Promise<unknown>) => {
      const before = await usage()
      await database.write(work)
      return (await usage()) - before
    }
    expect(await usage()).toBe(0)
    const size = await added((unit) => unit.deposits.insert(draft))
    expect(size).toBeGreaterThan(1000)
    const longer = { ...draft, metadata: text(1500) }
    const grown = await added((unit) => unit.deposits.save(longer, at(1)))
    expect(grown).toBe(500)
    const record = sampleRecord({ bucket: draft.bucket, metadata: text(1500) })
    expect(await added((unit) => unit.records.insert(record))).toBeGreaterThan(1500)
    const answer = { user, key: 'k', request: 'r', answer: 'x'.repeat(70), created: at(1) }
    expect(await added((unit) => unit.answers.put(answer, at(0)))).toBe(70)
    expect(await added((unit) => unit.answers.put({ ...answer, answer: 'y' }, at(1)))).toBe(-69)
    const { metadata, ...others } = await database.read.usage.breakdown(user)
    expect(others).toEqual({ files: 0, uploads: 0, answers: 1 })
    expect(metadata + 1).toBe(await usage())
    const undone = added(async (unit) => {
      await unit.deposits.remove(draft.id)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await added((unit) => unit.answers.removeBefore(at(2)))).toBe(-1)
    expect(await database.read.usage.breakdown(user)).toMatchObject({ metadata, answers: 0 })
    await database.write((unit) => unit.deposits.remove(draft.id))
    expect(await usage()).toBe(0)
  })

  it('forgets the answers of one user before a time, and tells when the oldest was given', async () => {
    const { database } = current()
    const [user, other] = [parseUserId('forgetful'), parseUserId('patient')]
    const put = (of: typeof user, key: string, hour: number) =>
      database.write((unit) =>
        unit.answers.put({ user: of, key, request: 'r', answer: 'äöü', created: at(hour) }, at(0)),
      )
    expect(await database.read.answers.oldest(user)).toBeUndefined()
    await put(user, 'c', 3)
    await put(user, 'a', 1)
    await put(user, 'b', 2)
    await put(other, 'a', 1)
    expect(await database.read.answers.oldest(user)).toBe(at(1))
    expect(await database.write((unit) => unit.answers.removeOf(user, at(3)))).toBe(12)
    expect(await database.read.answers.oldest(user)).toBe(at(3))
    expect((await database.read.usage.breakdown(user)).answers).toBe(6)
    expect((await database.read.usage.breakdown(other)).answers).toBe(6)
    await database.write((unit) => unit.answers.removeBefore(at(9)))
  })

  it('counts correctly while there are many writers', async () => {
    const writing = new AbortController()
    const looking = (async () => {
      while (!writing.signal.aborted) {
        await counted()
        // Cached counts are answered at once, so writers have to be given a turn.
        await setImmediate()
      }
    })()
    await Promise.all(Array.from({ length: 12 }, () => useDeposits(current().database, 14)))
    writing.abort()
    await looking

    expect(await counted()).toEqual(await listed())
  })
}
