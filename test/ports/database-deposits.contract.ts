import { describe, expect, it } from 'vitest'
import type { Deposit, DraftDeposit, PublishedDeposit } from '../../core/deposit/deposit.ts'
import { parseDepositId } from '../../core/pid/deposit-pid.ts'
import type { Visibility } from '../../core/search/visibility.ts'
import { collect } from '../support/collect.ts'
import { ada, at, bob, sampleDraft } from '../support/rows.ts'
import type { CurrentFixture } from './database.contract.ts'

const all: Visibility = { of: 'deposits' }
const page = { visibility: all, order: 'newest', offset: 0, limit: 100 } as const

/** Rows of deposits: compare-and-set, orders, visibility. */
export function depositRowsContract(current: CurrentFixture): void {
  const deposits = () => current().database.read.deposits
  const insert = (...drafts: readonly DraftDeposit[]) =>
    current().database.write(async (unit) => {
      for (const draft of drafts) await unit.deposits.insert(draft)
    })
  const publish = ({ id: _id, ...draft }: DraftDeposit, id = _id): PublishedDeposit => ({
    ...draft,
    id,
    status: 'published',
    record: { type: 'recid', value: `record of ${id}`, revision: 0 },
  })
  const ids = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id)

  describe('deposits', () => {
    it('returns a deposit with every field as it was stored', async () => {
      const metadata = { title: 'Île', deep: [{ a: null, b: [1.5, true, ''] }], _x: {} }
      const full = { owners: [ada, bob], base: 3, predecessor: 'abc', schema: null, metadata }
      const draft = sampleDraft(full)
      await insert(draft)

      expect(await deposits().find(draft.id)).toEqual(draft)
      expect(await deposits().findByBucket(draft.bucket)).toEqual(draft)
      expect(await deposits().find(parseDepositId('nope'))).toBeUndefined()
    })

    it('saves with the revision raised by one, and returns that', async () => {
      const draft = sampleDraft()
      await insert(draft)
      const changed = { ...publish(draft), metadata: { title: 'Changed' } }
      const saved = await current().database.write((unit) => unit.deposits.save(changed, at(1)))

      expect(saved).toEqual({ ...changed, revision: 1, updated: at(1) })
      expect(await deposits().find(draft.id)).toEqual(saved)
    })

    it('keeps the time of the last change when the clock went back', async () => {
      const draft = sampleDraft({ updated: at(5) })
      await insert(draft)
      const saved = await current().database.write((unit) => unit.deposits.save(draft, at(1)))

      expect(saved).toEqual({ ...draft, revision: 1, updated: at(5) })
    })

    it('refuses to save or touch a deposit at another revision', async () => {
      const draft = sampleDraft()
      await insert(draft)
      const touch = () => current().database.write((unit) => unit.deposits.touch(draft, at(1)))
      await touch()

      await expect(touch()).rejects.toMatchObject({ code: 'stale_revision' })
      const save = current().database.write((unit) => unit.deposits.save(draft, at(1)))
      await expect(save).rejects.toMatchObject({ code: 'stale_revision' })
      expect((await deposits().find(draft.id))?.revision).toBe(1)
    })

    it('touches only the revision', async () => {
      const draft = sampleDraft()
      await insert(draft)
      const other = { ...draft, metadata: { title: 'Not saved' } }
      await current().database.write((unit) => unit.deposits.touch(other, at(1)))

      expect(await deposits().find(draft.id)).toEqual({ ...draft, revision: 1, updated: at(1) })
    })

    it('never lets the time of a change go back', async () => {
      const draft = sampleDraft({ updated: at(9) })
      await insert(draft)
      const saved = await current().database.write((unit) => unit.deposits.save(draft, at(1)))

      expect(saved.updated).toBe(at(9))
    })

    it('remembers whether indexing succeeded without a change of the deposit', async () => {
      const draft = sampleDraft()
      await insert(draft)
      await current().database.write((unit) => unit.deposits.markIndexed(draft.id, false))

      expect(await deposits().find(draft.id)).toEqual({ ...draft, indexed: false })
    })

    it('finds the existing ones of several, in the given order', async () => {
      const [a, b, c] = [sampleDraft(), sampleDraft(), sampleDraft()]
      await insert(a, b, c)

      const found = await deposits().findAll([c.id, parseDepositId('nope'), a.id])
      expect(found).toEqual([c, a])
      expect(await deposits().findAll([])).toEqual([])
    })

    it('reads large documents one at a time, and small ones together', async () => {
      const small = Array.from({ length: 3 }, () => sampleDraft({ metadata: { title: 'é' } }))
      const large = Array.from({ length: 2 }, () =>
        sampleDraft({ metadata: { notes: 'x'.repeat(400_000) } }),
      )
      await insert(...small, ...large)
      const all = [...small, ...large]
      const found = await deposits().measure([parseDepositId('nope'), ...all.map(({ id }) => id)])

      expect(found.map(({ bytes }) => bytes)).toEqual([14, 14, 14, 400_012, 400_012])
      const batches = await collect(deposits().batchesOf(found))
      expect(batches).toEqual([[...small, large[0]], [large[1]]])
      expect(await collect(deposits().each({ of: 'deposits' }))).toHaveLength(5)
    })

    it('lists by time of change and then by id, in pages without repeats or gaps', async () => {
      const drafts = ['b', 'a', 'd', 'c'].map((id, index) =>
        sampleDraft({ id: parseDepositId(id), updated: at(index < 2 ? 1 : index) }),
      )
      await insert(...drafts)

      expect(await deposits().list(page)).toEqual(['c', 'd', 'a', 'b'])
      expect(await deposits().list({ ...page, order: 'oldest' })).toEqual(['b', 'a', 'd', 'c'])
      expect(await deposits().list({ ...page, offset: 1, limit: 2 })).toEqual(['d', 'a'])
      expect(await deposits().list({ ...page, offset: 9 })).toEqual([])
    })

    it('lists shared deposits by the time of their last change, however short ago the one before', async () => {
      const second = 1000
      const time = (ms: number): string => new Date(Date.parse(at(1)) + ms).toISOString()
      const drafts = Array.from({ length: 12 }, (_, n) =>
        sampleDraft({ owners: [ada, bob], updated: time(n * second) }),
      )
      await insert(...drafts)
      // Each is touched some times, within a second and within some minutes.
      let touched: readonly Deposit[] = drafts
      for (const [round, step] of [7, 400, 1000, 30_000, 50_000, 61_000].entries()) {
        const some = touched.filter((_, n) => (n * 7 + round) % 3 !== 0)
        for (const [place, deposit] of some.entries()) {
          const now = time(60 * second * round + place * step)
          const next = await current().database.write((unit) => unit.deposits.touch(deposit, now))
          touched = touched.map((each) => (each.id === next.id ? next : each))
        }
        const byTime = ids(touched.toSorted((a, b) => (a.updated < b.updated ? -1 : 1)))
        const visibility: Visibility = { of: 'owner', user: bob }
        for (const [offset, limit] of [
          [0, 1],
          [0, 5],
          [3, 4],
          [10, 5],
          [0, 100],
        ] as const) {
          const end = offset + limit
          expect(await deposits().list({ ...page, visibility, offset, limit })).toEqual(
            byTime.toReversed().slice(offset, end),
          )
          expect(
            await deposits().list({ ...page, visibility, order: 'oldest', offset, limit }),
          ).toEqual(byTime.slice(offset, end))
        }
      }
    })

    it('lists and counts the deposits a caller may see, by status', async () => {
      const [mine, published, other] = [
        sampleDraft(),
        sampleDraft(),
        sampleDraft({ owners: [bob] }),
      ]
      await insert(mine, published, other)
      await current().database.write((unit) => unit.deposits.save(publish(published), at(1)))
      const owned: Visibility = { of: 'owner', user: ada }
      const only: Visibility = { of: 'deposits', only: other.id }

      expect(await deposits().list({ ...page, visibility: owned })).toEqual([published.id, mine.id])
      const drafts = { ...page, visibility: owned, status: 'draft' } as const
      expect(await deposits().list(drafts)).toEqual([mine.id])
      expect(await deposits().list({ ...page, visibility: only })).toEqual([other.id])
      expect(await deposits().countByStatus(owned)).toEqual({ draft: 1, published: 1 })
      expect(await deposits().countByStatus(all)).toEqual({ draft: 2, published: 1 })
      expect(await deposits().countByStatus({ ...owned, only: other.id })).toEqual({
        draft: 0,
        published: 0,
      })
    })

    it('hides a deposit from every reader until it is shown again', async () => {
      const draft = sampleDraft()
      await insert(draft)
      await current().database.write((unit) => unit.deposits.hide(draft.id, at(1)))

      expect(await deposits().find(draft.id)).toBeUndefined()
      expect(await deposits().findByBucket(draft.bucket)).toBeUndefined()
      expect(await deposits().findAll([draft.id])).toEqual([])
      expect(await deposits().list(page)).toEqual([])
      expect(await deposits().countByStatus(all)).toEqual({ draft: 0, published: 0 })
      expect(await collect(deposits().each(all))).toEqual([])

      const show = () => current().database.write((unit) => unit.deposits.show(draft.id))
      expect([await show(), await show()]).toEqual([true, false])
      expect(await deposits().find(draft.id)).toEqual(draft)
    })

    it('removes a deposit', async () => {
      const draft = sampleDraft()
      await insert(draft)
      await current().database.write((unit) => unit.deposits.remove(draft.id))

      expect(await deposits().find(draft.id)).toBeUndefined()
    })

    it('iterates over more than a batch in the order of ids, each deposit once', async () => {
      const drafts = Array.from({ length: 1203 }, (_, index) =>
        sampleDraft({
          id: parseDepositId(`d${String((index * 7) % 1203).padStart(4, '0')}`),
          owners: index % 3 === 0 ? [bob] : [ada],
        }),
      )
      await insert(...drafts)
      const sorted = ids(drafts).toSorted()

      expect(ids(await collect(deposits().each(all)))).toEqual(sorted)
      const owned = await collect(deposits().each({ of: 'owner', user: bob }))
      expect(owned).toHaveLength(401)
    })
  })
}
