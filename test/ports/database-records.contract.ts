import { describe, expect, it } from 'vitest'
import type { PublishedRecord } from '../../core/record/record.ts'
import { collect } from '../support/collect.ts'
import { at, samplePid, sampleRecord } from '../support/rows.ts'
import type { CurrentFixture } from './database.contract.ts'

/** Rows of records and of persistent identifiers. */
export function recordRowsContract(current: CurrentFixture): void {
  const records = () => current().database.read.records
  const insert = (...added: readonly PublishedRecord[]) =>
    current().database.write(async (unit) => {
      for (const record of added) await unit.records.insert(record)
    })
  const revise = (record: PublishedRecord) =>
    current().database.write((unit) => unit.records.addRevision(record))
  const values = (found: readonly PublishedRecord[]) => found.map(({ value }) => value)

  describe('records', () => {
    it('returns a record with every field as it was stored', async () => {
      const plain = sampleRecord({ schema: null })
      const record = sampleRecord({
        concept: plain.concept,
        number: 2,
        predecessor: plain.value,
        deposit: { ...sampleRecord().deposit, base: 4 },
        metadata: { title: 'Île', deep: [{ a: null }] },
      })
      await insert(plain, record)

      expect(await records().find(plain.value)).toEqual({ ...plain, superseded: true })
      expect(await records().find(record.value)).toEqual(record)
      expect(await records().findByBucket(record.bucket)).toEqual(record)
      expect(await records().find('nope')).toBeUndefined()
    })

    it('keeps every revision, and finds the latest', async () => {
      const first = sampleRecord()
      const second = { ...first, revision: 1, metadata: { title: 'Second' }, updated: at(1) }
      await insert(first)
      await revise(second)

      expect(await records().find(first.value)).toEqual(second)
      expect(await records().findByBucket(first.bucket)).toEqual(second)
      expect(await records().findRevision(first.value, 0)).toEqual(first)
      expect(await records().findRevision(first.value, 2)).toBeUndefined()
      const found = await records().revisions(first.value, 0)
      expect(found.map(({ name }) => name)).toEqual([0, 1])
      const batches = records().revisionBatches(first.value, found)
      expect(await collect(batches)).toEqual([[first, second]])
      expect(await records().revisions(first.value, 1)).toEqual(found.slice(1))
      expect(await records().count()).toBe(1)
    })

    it('does not list a record whose identifier redirects to another, but keeps it', async () => {
      const [moved, target] = [sampleRecord(), sampleRecord()]
      await insert(moved, target)
      const name = { type: 'recid', value: moved.value }
      await current().database.write(async (unit) => {
        await unit.pids.insert(samplePid(name))
        await unit.pids.redirect(name, { ...name, value: target.value }, moved.updated)
      })
      const page = { order: 'newest', offset: 0, limit: 10 } as const

      expect(await records().list(page)).toEqual([target.value])
      expect(await records().count()).toBe(1)
      expect(await records().findAll([moved.value, target.value])).toEqual([target])
      expect(await collect(records().eachListed())).toEqual([target])
      expect(await records().find(moved.value)).toEqual(moved)
      expect(values(await collect(records().each())).sort()).toEqual(
        values([moved, target]).toSorted(),
      )
    })

    it('counts a redirect as the last change of a record', async () => {
      const [moved, target] = [sampleRecord(), sampleRecord()]
      await insert(moved, target)
      const name = { type: 'recid', value: moved.value }
      const redirect = (now: string) =>
        current().database.write(async (unit) => {
          await unit.pids.redirect(name, { ...name, value: target.value }, now)
        })
      await current().database.write((unit) => unit.pids.insert(samplePid(name)))
      await redirect('2030-01-01T00:00:00.000Z')
      const found = await records().changes({ withMoved: true, limit: 10 })
      const listed = { value: target.value, updated: target.updated }
      const last = { value: moved.value, updated: '2030-01-01T00:00:00.000Z', isMoved: true }

      expect(found).toEqual([{ ...listed, isMoved: false }, last])
      expect(await records().changes({ limit: 10 })).toEqual([listed])
      const measured = await records().measure([moved.value, target.value])
      const batches = await collect(records().batchesOf(measured, 'withMoved'))
      expect(values(batches.flat())).toEqual([moved.value, target.value])
      // A clock that was set back.
      await redirect('2029-01-01T00:00:00.000Z')
      expect(await records().changes({ withMoved: true, limit: 10 })).toEqual(found)
    })

    it('refuses a revision other than the next one', async () => {
      const first = sampleRecord()
      await insert(first)

      for (const revision of [0, 2]) {
        await expect(revise({ ...first, revision })).rejects.toMatchObject({
          code: 'stale_revision',
        })
      }
      const racing = Array.from({ length: 10 }, () => revise({ ...first, revision: 1 }))
      const settled = await Promise.allSettled(racing)
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await records().revisions(first.value, 0)).toHaveLength(2)
    })

    it('refuses a second record with the same value', async () => {
      const first = sampleRecord()
      await insert(first)

      await expect(insert(sampleRecord({ value: first.value }))).rejects.toThrow()
      expect(await records().find(first.value)).toEqual(first)
    })

    it('lists the latest revisions by time of change, in pages', async () => {
      const [a, b, c] = ['a', 'b', 'c'].map((value, index) =>
        sampleRecord({ value, updated: at(index) }),
      )
      if (!a || !b || !c) throw new Error('three records were made')
      await insert(a, b, c)
      await revise({ ...a, revision: 1, updated: at(9) })
      const page = { order: 'newest', offset: 0, limit: 10 } as const

      expect(await records().list(page)).toEqual(['a', 'c', 'b'])
      expect(await records().list({ ...page, order: 'oldest' })).toEqual(['b', 'c', 'a'])
      expect(await records().list({ ...page, offset: 1, limit: 1 })).toEqual(['c'])
      expect(values(await records().findAll(['c', 'nope', 'a']))).toEqual(['c', 'a'])
      expect(await records().findAll([])).toEqual([])
    })

    it('iterates over more than a batch in the order of values, only the latest revisions', async () => {
      const many = Array.from({ length: 601 }, (_, index) =>
        sampleRecord({ value: `r${String((index * 7) % 601).padStart(4, '0')}` }),
      )
      await insert(...many)
      const [first] = many
      if (first) await revise({ ...first, revision: 1 })

      const walked = await collect(records().each())
      expect(values(walked)).toEqual(values(many).toSorted())
      expect(walked.filter(({ revision }) => revision === 1)).toHaveLength(1)
    })
  })

  describe('persistent identifiers', () => {
    const pids = () => current().database.read.pids
    const insertPid = (pid: ReturnType<typeof samplePid>) =>
      current().database.write((unit) => unit.pids.insert(pid))

    it('are found by type and value', async () => {
      const pid = samplePid()
      await insertPid(pid)

      expect(await pids().find(pid)).toEqual(pid)
      expect(await pids().find({ type: 'recid', value: pid.value })).toBeUndefined()
    })

    it('are never given out twice', async () => {
      const pid = samplePid()
      await insertPid(pid)

      await expect(insertPid(samplePid({ value: pid.value }))).rejects.toThrow()
      await insertPid(samplePid({ value: pid.value, type: 'recid' }))
      expect(await pids().find(pid)).toEqual(pid)
    })

    it('can change their status, and redirect to another', async () => {
      const pid = samplePid({ status: 'K' })
      const target = { type: pid.type, value: 'target' }
      await insertPid(pid)
      await current().database.write((unit) => unit.pids.setStatus(pid, 'R'))
      expect(await pids().find(pid)).toEqual({ ...pid, status: 'R' })

      await current().database.write((unit) =>
        unit.pids.redirect(pid, target, '2026-01-01T00:00:00.000Z'),
      )
      expect(await pids().find(pid)).toEqual({ ...pid, status: 'M', redirect: target })
    })
  })
}
