import { expect } from 'vitest'
import type { Deposit } from '../../core/deposit/deposit.ts'
import type { Database } from '../../core/ports/database.ts'
import { at, sampleDraft, samplePid, sampleRecord } from './rows.ts'

/** Creates deposits and performs varying operations on each of them. */
export async function useDeposits(database: Database, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const draft = sampleDraft()
    await database.write((unit) => unit.deposits.insert(draft))
    await waysToUse[number % waysToUse.length]?.(database, draft)
  }
}

const waysToUse: readonly ((database: Database, draft: Deposit) => Promise<unknown>)[] = [
  async () => {},
  (database, { id }) => database.write((unit) => unit.deposits.remove(id)),
  publish,
  async (database, draft) => {
    const published = await publish(database, draft)
    await database.write((unit) => unit.deposits.save({ ...published, status: 'draft' }, at(2)))
  },
  async (database, { id }) => {
    await database.write((unit) => unit.deposits.hide(id, at(1)))
    await database.write((unit) => unit.deposits.show(id))
    await database.write((unit) => unit.deposits.hide(id, at(2)))
  },
  async (database, draft) => {
    const { record } = await publish(database, draft)
    const name = { type: 'recid', value: record?.value ?? '' }
    await database.write(async (unit) => {
      await unit.pids.insert(samplePid(name))
      await unit.pids.redirect(name, { ...name, value: 'another' }, at(1))
    })
  },
  async (database, draft) => {
    const undone = database.write(async (unit) => {
      await unit.deposits.remove(draft.id)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
  },
]

async function publish(database: Database, draft: Deposit): Promise<Deposit> {
  return database.write(async (unit) => {
    const { type, value, revision } = sampleRecord()
    await unit.records.insert(sampleRecord({ type, value, revision }))
    const record = { type, value, revision }
    return unit.deposits.save({ ...draft, status: 'published', record }, at(1))
  })
}
