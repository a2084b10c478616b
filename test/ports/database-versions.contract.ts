import { describe, expect, it } from 'vitest'
import type { DraftDeposit } from '../../core/deposit/deposit.ts'
import type { UnitOfWork } from '../../core/ports/database.ts'
import type { PublishedRecord } from '../../core/record/record.ts'
import { collect } from '../support/collect.ts'
import {
  ada,
  at,
  bob,
  sampleConcept,
  sampleDraft,
  samplePid,
  sampleRecord,
} from '../support/rows.ts'
import type { CurrentFixture } from './database.contract.ts'

/** Concepts, and the versions that belong to them. */
export function versionsContract(current: CurrentFixture): void {
  const read = () => current().database.read
  const write = <Result>(work: (unit: UnitOfWork) => Promise<Result>) =>
    current().database.write(work)

  async function insertDraft(unit: UnitOfWork, draft: DraftDeposit): Promise<void> {
    await unit.pids.insert(samplePid({ value: draft.id }))
    if (draft.predecessor === undefined) await unit.pids.insert(sampleConcept(draft))
    await unit.deposits.insert(draft)
  }

  /** Publishes a draft as the version after `before`. */
  async function publish(
    unit: UnitOfWork,
    draft: DraftDeposit,
    before?: PublishedRecord,
  ): Promise<PublishedRecord> {
    const { id, pidType, owners, createdBy, bucket, concept } = draft
    const number = (before?.number ?? 0) + 1
    const record = sampleRecord({
      deposit: { id, pidType, owners, createdBy },
      bucket,
      concept,
      number,
      updated: at(number),
      ...(before && { predecessor: before.value }),
    })
    const { type, value, revision } = record
    await unit.pids.insert(samplePid({ type, value }))
    await unit.records.insert(record)
    await unit.deposits.save(
      { ...draft, status: 'published', record: { type, value, revision } },
      at(number),
    )
    return record
  }

  /** A chain of versions, oldest first. */
  async function publishChain(length: number): Promise<readonly PublishedRecord[]> {
    const chain: PublishedRecord[] = []
    const { concept } = sampleDraft()
    for (let made = 0; made < length; made += 1) {
      const before = chain.at(-1)
      const draft = sampleDraft({ concept, ...(before && { predecessor: before.value }) })
      await write(async (unit) => {
        await insertDraft(unit, draft)
        chain.push(await publish(unit, draft, before))
      })
    }
    return chain
  }

  const values = (records: readonly PublishedRecord[]) => records.map(({ value }) => value)
  const listed = { order: 'newest', offset: 0, limit: 10 } as const

  describe('versions', () => {
    it('are one chain: each leads to the next, and the concept to the newest', async () => {
      const [first, second, third] = await publishChain(3)
      if (!first || !second || !third) throw new Error('three versions were made')
      const { records } = read()

      expect(await records.findNewest(third.concept)).toEqual(third)
      expect(await records.findNewest('nope')).toBeUndefined()
      expect(await records.find(first.value)).toEqual({ ...first, superseded: true })
      expect(await records.findRevision(third.value, 0)).toEqual(third)
      expect(await records.findNext({ ...first, superseded: true })).toBe(second.value)
      expect(await records.findNext(third)).toBeUndefined()
      expect(await collect(current().database.upkeep.inspect('full'))).toEqual([])
    })

    it('are listed newest first, in pages', async () => {
      const chain = await publishChain(4)
      const [{ concept } = sampleDraft()] = chain
      const newestFirst = values(chain).toReversed()
      const { records } = read()

      expect(await records.versions(concept, { offset: 0, limit: 10 })).toEqual({
        values: newestFirst,
        total: 4,
      })
      for (const [offset, limit] of [
        [0, 4],
        [1, 2],
        [2, 2],
        [3, 2],
        [4, 2],
        [9, 2],
      ] as const) {
        const page = await records.versions(concept, { offset, limit })
        expect(page).toEqual({ values: newestFirst.slice(offset, offset + limit), total: 4 })
      }
      expect(await records.versions('nope', { offset: 0, limit: 10 })).toEqual({
        values: [],
        total: 0,
      })
    })

    it('that are superseded can be left out of a list and of its count, whatever is corrected', async () => {
      const [first, second] = await publishChain(2)
      const [single] = await publishChain(1)
      if (!first || !second || !single) throw new Error('three records were made')
      const corrected = { ...first, superseded: true, revision: 1, updated: at(9) }
      await write((unit) => unit.records.addRevision(corrected))
      const { records } = read()

      expect(await records.list(listed)).toEqual([first.value, second.value, single.value])
      expect(await records.list({ ...listed, isNewest: true })).toEqual([
        second.value,
        single.value,
      ])
      expect(await records.count()).toBe(3)
      expect(await records.count({ isNewest: true })).toBe(2)
      expect(await records.find(first.value)).toEqual(corrected)
      expect(await collect(current().database.upkeep.inspect('full'))).toEqual([])
    })

    it('have one draft of the next version for the same owners', async () => {
      const [first] = await publishChain(1)
      if (!first) throw new Error('a record was made')
      const { concept, value: predecessor } = first
      const next = sampleDraft({ concept, predecessor })
      const others = sampleDraft({ concept, predecessor, owners: [ada, bob] })
      expect(await read().deposits.findNextVersion(concept, next.owners)).toBeUndefined()
      await write(async (unit) => {
        await insertDraft(unit, next)
        await insertDraft(unit, others)
      })

      expect(await read().deposits.findNextVersion(concept, [ada])).toEqual(next)
      expect(await read().deposits.findNextVersion(concept, [ada, bob])).toEqual(others)
      expect(await read().deposits.findNextVersion(concept, [bob])).toBeUndefined()
      const both = await read().deposits.nextVersions(concept)
      expect(new Set(both.map(({ id }) => id))).toEqual(new Set([next.id, others.id]))
      await write((unit) => publish(unit, next, first))
      expect(await read().deposits.nextVersions(concept)).toEqual([others])
      expect(await read().deposits.findNextVersion(concept, [ada])).toBeUndefined()
      expect(await read().records.findNewest(concept)).toMatchObject({ number: 2 })
    })

    it('belong to a concept from the first draft on, which goes with the draft', async () => {
      const draft = sampleDraft()
      await write((unit) => insertDraft(unit, draft))
      expect(await read().deposits.findFirstOf(draft.concept)).toEqual(draft)
      expect(await read().records.findNewest(draft.concept)).toBeUndefined()

      await write(async (unit) => {
        await unit.deposits.remove(draft.id)
        await unit.pids.setStatus({ type: 'depid', value: draft.id }, 'D')
        await unit.pids.setStatus(sampleConcept(draft), 'D')
      })
      expect(await read().deposits.findFirstOf(draft.concept)).toBeUndefined()
      expect(await collect(current().database.upkeep.inspect('full'))).toEqual([])
    })

    it('refuse a second version of the same number', async () => {
      const [first] = await publishChain(1)
      if (!first) throw new Error('a record was made')
      const [one, two] = [1, 2].map(() =>
        sampleDraft({ concept: first.concept, predecessor: first.value }),
      )
      if (!one || !two) throw new Error('two drafts were made')
      await write(async (unit) => {
        await insertDraft(unit, one)
        await insertDraft(unit, two)
        await publish(unit, one, first)
      })

      await expect(write((unit) => publish(unit, two, first))).rejects.toThrow()
    })
  })

  describe('numbers', () => {
    it('go to deposits one after another, and none is given twice', async () => {
      const [one, other, later] = [sampleDraft(), sampleDraft(), sampleDraft()]
      await write((unit) => insertDraft(unit, one))
      await write((unit) => insertDraft(unit, other))
      const numbers = await read().deposits.numbersOf([one.id, other.id])
      const [first = 0, second = 0] = [numbers.get(one.id), numbers.get(other.id)]
      expect(second).toBeGreaterThan(first)

      await write((unit) => unit.deposits.remove(other.id))
      await write((unit) => insertDraft(unit, later))

      const next = (await read().deposits.numbersOf([later.id])).get(later.id)
      expect(next).toBeGreaterThan(second)
      expect(await read().deposits.findNumbered(second)).toBe(other.id)
      expect(await read().deposits.findNumbered(1_000_000)).toBeUndefined()
    })

    it('tell the the first deposit of a concept', async () => {
      const [record] = await publishChain(2)
      const { concept = '', deposit } = record ?? {}
      const first = deposit && (await read().deposits.numbersOf([deposit.id])).get(deposit.id)

      expect(await read().deposits.firstNumbers([concept])).toEqual(new Map([[concept, first]]))
    })
  })
}
