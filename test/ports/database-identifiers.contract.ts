import { describe, expect, it } from 'vitest'
import type { NewIdentifier } from '../../core/ports/identifiers.ts'
import { parseDepositId } from '../../core/pid/deposit-pid.ts'
import type { Database } from '../../core/ports/database.ts'
import { at, sampleDraft, samplePid } from '../support/rows.ts'
import type { CurrentFixture } from './database.contract.ts'

const sample = (changes: Partial<NewIdentifier> = {}): NewIdentifier => ({
  value: '10.5072/one',
  provider: 'datacite',
  scheme: 'doi',
  url: 'https://doi.org/10.5072/one',
  of: 'record',
  subject: 'one',
  deposit: parseDepositId('d1'),
  ...changes,
})

const horizon = { latest: '2099-01-01T00:00:00.000Z', soon: '2098-01-01T00:00:00.000Z' }
const lease = (holder: string, minute: number) => ({
  holder,
  now: at(minute),
  until: at(minute + 2),
})

/** Identifiers of providers, and what is to be brought there. */
export function identifierRowsContract(current: CurrentFixture): void {
  const due = (database: Database, minute: number): Promise<readonly string[]> =>
    database.read.identifiers.due({
      now: at(minute),
      ...horizon,
      providers: ['datacite'],
      limit: 9,
    })
  const wanted = async (): Promise<Database> => {
    const { database } = current()
    await database.write(async ({ identifiers }) => {
      await identifiers.reserve([sample()], at(0))
      await identifiers.want(['10.5072/one'], at(0))
    })
    return database
  }
  const take = (database: Database, holder: string, minute: number) =>
    database.write((unit) => unit.identifiers.take('10.5072/one', lease(holder, minute), horizon))

  describe('identifiers', () => {
    it('are reserved once, and found by deposit and by what they identify', async () => {
      const { database } = current()
      const other = sample({ value: '10.5072/two', subject: 'two', of: 'concept' })
      await database.write((unit) => unit.identifiers.reserve([sample(), other], at(0)))
      await database.write((unit) => unit.identifiers.reserve([sample({ url: 'x:y' })], at(1)))

      const { read } = database
      const stored = { ...sample(), status: 'reserved' }
      expect(await read.identifiers.find('10.5072/one')).toEqual(stored)
      const deposit = parseDepositId('d1')
      expect((await read.identifiers.ofDeposits([deposit])).get(deposit)).toEqual([stored])
      expect((await read.identifiers.ofSubjects(['two', 'none'])).size).toBe(1)
      expect(await due(database, 1)).toEqual([])
    })

    it('that are reserved go with their deposit, and others stay', async () => {
      const { database } = current()
      const draft = sampleDraft()
      await database.write(async (unit) => {
        await unit.pids.insert(samplePid({ value: draft.id }))
        await unit.deposits.insert(draft)
        const other = sample({ value: '10.5072/two', subject: 'two', deposit: draft.id })
        await unit.identifiers.reserve([sample({ deposit: draft.id }), other], at(0))
        await unit.identifiers.want(['10.5072/two'], at(0))
        await unit.deposits.remove(draft.id)
      })

      const { identifiers } = database.read
      expect(await identifiers.find('10.5072/one')).toBeUndefined()
      expect(await identifiers.find('10.5072/two')).toMatchObject({ status: 'pending' })
    })

    it('can be wanted by the thousand, each of them once more', async () => {
      const { database } = current()
      const values = Array.from({ length: 5000 }, (_, n) => `10.5072/${n}`)
      await database.write(async ({ identifiers }) => {
        for (const value of values)
          await identifiers.reserve([sample({ value, subject: value })], at(0))
        await identifiers.want(values, at(0))
        await identifiers.want(values, at(1))
      })

      expect(await database.read.identifiers.count('pending')).toBe(values.length)
      expect(await due(database, 0)).toEqual([])
      expect(await due(database, 1)).toHaveLength(9)
    })

    it('are taken by one worker at a time, until its time is over', async () => {
      const database = await wanted()
      expect(await due(database, 0)).toEqual(['10.5072/one'])
      expect(await take(database, 'a', 0)).toMatchObject({ change: 1, isUnsure: false })
      expect(await due(database, 1)).toEqual([])
      expect(await take(database, 'b', 1)).toBeUndefined()

      expect(await due(database, 2)).toEqual(['10.5072/one'])
      expect(await take(database, 'b', 2)).toMatchObject({ change: 1, isUnsure: true })
    })

    it('count as due under a clock that was wrong when they were put off', async () => {
      const database = await wanted()
      const again = { due: '2150-01-01T00:00:00.000Z', attempts: 1, isUnsure: false }
      await take(database, 'a', 0)
      const settled = { value: '10.5072/one', holder: 'a', change: 1, now: at(0), again }
      await database.write((unit) => unit.identifiers.settle(settled))

      expect(await due(database, 1)).toEqual(['10.5072/one'])
    })

    it('are done once their provider has the last change, and not before', async () => {
      const database = await wanted()
      await take(database, 'a', 0)
      await database.write((unit) => unit.identifiers.want(['10.5072/one'], at(1)))
      const settled = {
        value: '10.5072/one',
        holder: 'a',
        now: at(1),
        status: 'registered',
      } as const
      await database.write((unit) => unit.identifiers.settle({ ...settled, change: 1 }))
      expect(await due(database, 1)).toEqual(['10.5072/one'])
      expect(await database.read.identifiers.find('10.5072/one')).toMatchObject({
        status: 'pending',
      })

      await take(database, 'a', 1)
      await database.write((unit) => unit.identifiers.settle({ ...settled, change: 2 }))
      expect(await due(database, 9)).toEqual([])
      expect(await database.read.identifiers.find('10.5072/one')).toMatchObject({
        status: 'registered',
        registered: at(1),
      })
      expect(await database.read.identifiers.nextDue()).toBeUndefined()
    })

    it('are wanted again where two workers had them at the same time', async () => {
      const database = await wanted()
      await take(database, 'a', 0)
      await take(database, 'b', 2)
      const settled = { value: '10.5072/one', change: 1, now: at(3), status: 'registered' } as const
      await database.write((unit) => unit.identifiers.settle({ ...settled, holder: 'b' }))
      await database.write((unit) => unit.identifiers.settle({ ...settled, holder: 'a' }))

      expect(await due(database, 3)).toEqual(['10.5072/one'])
    })

    it('tell why they are refused, until they are wanted again', async () => {
      const database = await wanted()
      await take(database, 'a', 0)
      const settled = { value: '10.5072/one', holder: 'a', change: 1, now: at(0) }
      const refused = { status: 'refused', message: 'No creators.', field: '/creators' } as const
      await database.write((unit) => unit.identifiers.settle({ ...settled, ...refused }))

      const { identifiers } = database.read
      expect(await identifiers.find('10.5072/one')).toMatchObject(refused)
      expect(await identifiers.count('refused')).toBe(1)
      expect(await identifiers.list({ after: '', limit: 9, status: 'refused' })).toHaveLength(1)
      await database.write((unit) => unit.identifiers.want(['10.5072/one'], at(1)))
      expect(await identifiers.find('10.5072/one')).not.toHaveProperty('message')
    })

    it('follow a record whose own identifier changes', async () => {
      const database = await wanted()
      const pid = samplePid({ type: 'recid', value: 'one', status: 'K' })
      await database.write((unit) => unit.pids.insert(pid))
      await take(database, 'a', 0)
      const settled = { value: '10.5072/one', holder: 'a', change: 1, now: at(0) }
      const done = { ...settled, status: 'registered' } as const
      await database.write((unit) => unit.identifiers.settle(done))
      await database.write((unit) => unit.pids.setStatus(pid, 'D'))

      expect(await database.read.identifiers.find('10.5072/one')).toMatchObject({
        status: 'pending',
      })
    })

    it('are free again, and unsure, after the daemon that had them is gone', async () => {
      const database = await wanted()
      await take(database, 'a', 0)
      await database.write((unit) => unit.identifiers.free(at(0)))
      expect(await take(database, 'b', 0)).toMatchObject({ isUnsure: true })
    })

    it('of one daemon are free again after its start, and those of others are not', async () => {
      const database = await wanted()
      await take(database, 'one.1', 0)
      await database.write((unit) => unit.identifiers.free(at(0), 'other.'))
      expect(await take(database, 'b', 0)).toBeUndefined()
      await database.write((unit) => unit.identifiers.free(at(0), 'one.'))
      expect(await take(database, 'b', 0)).toMatchObject({ isUnsure: true })
    })

    it('are free again if a clock that was hours ahead says when a worker is done', async () => {
      const database = await wanted()
      await database.write((unit) => unit.identifiers.want(['10.5072/one'], at(600)))
      await take(database, 'a', 600)
      const wrong = { latest: at(1440), soon: at(10) }
      const taken = await database.write((unit) =>
        unit.identifiers.take('10.5072/one', lease('b', 0), wrong),
      )
      expect(taken).toMatchObject({ isUnsure: true })
    })

    it('wait while their provider is paused; a restore lasts until the operator looked', async () => {
      const { database } = current()
      const pause = { provider: 'datacite', message: 'M', since: at(0) }
      await database.write(async ({ identifiers }) => {
        await identifiers.pause({ ...pause, reason: 'restored' })
        await identifiers.pause({ ...pause, reason: 'locked', until: at(9) })
        await identifiers.resume('datacite', 'locked')
      })
      const { pauses } = database.read.identifiers
      expect(await pauses()).toEqual([{ ...pause, reason: 'restored' }])
      await database.write((unit) => unit.identifiers.resume('datacite'))
      expect(await pauses()).toEqual([])
    })
  })
}
