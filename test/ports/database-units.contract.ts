import { describe, expect, it } from 'vitest'
import { sampleAccount, sampleDraft, samplePid } from '../support/rows.ts'
import type { CurrentFixture } from './database.contract.ts'

/** Units of work: all or nothing, in groups, durable before they are answered. */
export function unitsContract(current: CurrentFixture): void {
  const find = (draft: ReturnType<typeof sampleDraft>) =>
    current().database.read.deposits.find(draft.id)

  describe('units of work', () => {
    it('stores everything of a unit, and returns its result', async () => {
      const draft = sampleDraft()
      const pid = samplePid({ value: draft.id })
      const answer = await current().database.write(async (unit) => {
        await unit.deposits.insert(draft)
        await unit.pids.insert(pid)
        return 'done'
      })

      expect(answer).toBe('done')
      expect(await find(draft)).toEqual(draft)
      expect(await current().database.read.pids.find(pid)).toEqual(pid)
    })

    it('keeps nothing of a unit that throws', async () => {
      const draft = sampleDraft()
      const pid = samplePid()
      const failing = current().database.write(async (unit) => {
        await unit.pids.insert(pid)
        await unit.deposits.insert(draft)
        throw new Error('stop')
      })

      await expect(failing).rejects.toThrow('stop')
      expect(await find(draft)).toBeUndefined()
      expect(await current().database.read.pids.find(pid)).toBeUndefined()
    })

    it('reads its own changes, which no other read sees before they are durable', async () => {
      const draft = sampleDraft()
      const [inside, outside] = await current().database.write(async (unit) => {
        await unit.deposits.insert(draft)
        return [await unit.deposits.find(draft.id), await find(draft)]
      })

      expect(inside).toEqual(draft)
      expect(outside).toBeUndefined()
      expect(await find(draft)).toEqual(draft)
    })

    it('changes its view when reads see something else, if it has views', async () => {
      const { view, write } = current().database
      const before = view()
      const still = view()
      await write((unit) => unit.pids.insert(samplePid()))
      const after = view()

      expect(still).toBe(before)
      if (before) expect(after).not.toBe(before)
      else expect(after).toBeUndefined()
    })

    it('reads a deposit again as soon as something has changed', async () => {
      const draft = sampleDraft()
      const { read, write } = current().database
      await write((unit) => unit.deposits.insert(draft))
      expect(await find(draft)).toEqual(draft)
      await write((unit) => unit.deposits.touch(draft, draft.updated))
      expect(await find(draft)).toMatchObject({ revision: draft.revision + 1 })
      await write((unit) => unit.deposits.markIndexed(draft.id, false))
      expect(await find(draft)).toMatchObject({ indexed: false })
      await write((unit) => unit.deposits.hide(draft.id, draft.updated))
      expect(await read.deposits.find(draft.id)).toBeUndefined()
    })

    it('fails some units without failing those that wait with them, again and again', async () => {
      const taken = sampleAccount()
      await current().database.write((unit) => unit.accounts.insert(taken))
      for (const failing of [[], [3, 7], [0, 9], [5]]) {
        const drafts = Array.from({ length: 10 }, () => sampleDraft())
        const settled = await Promise.allSettled(
          drafts.map((draft, index) =>
            current().database.write(async (unit) => {
              if (index === 1) throw new Error('nothing is changed')
              await unit.deposits.insert(draft)
              if (index === failing[0]) throw new Error('stop')
              if (index === failing[1]) await unit.accounts.insert({ ...taken, email: 'b@x.org' })
            }),
          ),
        )

        const failed = [1, ...failing]
        const expected = drafts.map((_, index) =>
          failed.includes(index) ? 'rejected' : 'fulfilled',
        )
        expect(settled.map(({ status }) => status)).toEqual(expected)
        const found = await current().database.read.deposits.findAll(drafts.map(({ id }) => id))
        expect(found).toEqual(drafts.filter((_, index) => !failed.includes(index)))
      }
    })

    it('runs units that wait together one after another, each on the state left by the last', async () => {
      const draft = sampleDraft()
      await current().database.write((unit) => unit.deposits.insert(draft))
      await Promise.all(
        Array.from({ length: 200 }, () =>
          current().database.write(async (unit) => {
            const found = await unit.deposits.find(draft.id)
            if (found) await unit.deposits.touch(found, found.updated)
          }),
        ),
      )

      expect((await find(draft))?.revision).toBe(200)
    })
  })

  describe('after the commit', () => {
    it('runs the tasks of a unit in their order, once it can be read, before it is answered', async () => {
      const draft = sampleDraft()
      const seen: unknown[] = []
      await current().database.write(async (unit) => {
        unit.afterCommit(async () => void seen.push(await find(draft)))
        await unit.deposits.insert(draft)
        unit.afterCommit(async () => void seen.push('second'))
      })

      expect(seen).toEqual([draft, 'second'])
    })

    it('runs no task of a unit that is rolled back', async () => {
      const ran: string[] = []
      const undone = current().database.write(async (unit) => {
        unit.afterCommit(async () => void ran.push('undone'))
        throw new Error('stop')
      })
      const kept = current().database.write(async (unit) =>
        unit.afterCommit(async () => void ran.push('kept')),
      )

      await expect(undone).rejects.toThrow('stop')
      await kept
      expect(ran).toEqual(['kept'])
    })

    it('reports a task that fails; the change stands and the next task runs', async () => {
      const draft = sampleDraft()
      const failure = new Error('index is broken')
      const ran: string[] = []
      await current().database.write(async (unit) => {
        await unit.deposits.insert(draft)
        unit.afterCommit(() => Promise.reject(failure))
        unit.afterCommit(async () => void ran.push('next'))
      })

      expect(await find(draft)).toEqual(draft)
      expect(current().reported).toEqual([failure])
      expect(ran).toEqual(['next'])
    })

    it('lets a task write, too', async () => {
      const draft = sampleDraft()
      await current().database.write(async (unit) => {
        await unit.deposits.insert(draft)
        unit.afterCommit(() =>
          current().database.write((other) => other.deposits.markIndexed(draft.id, false)),
        )
      })

      expect(await find(draft)).toEqual({ ...draft, indexed: false })
    })
  })
}
