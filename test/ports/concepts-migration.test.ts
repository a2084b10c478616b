import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { concepts } from '../../core/adapters/database/schema/0024-concepts.ts'
import type { Tables } from '../../core/adapters/database/schema/tables.ts'
import { parseDepositId } from '../../core/pid/deposit-pid.ts'
import { conceptOfOld } from '../../core/pid/record-minters.ts'
import { collect } from '../support/collect.ts'
import { engines, openOld } from '../support/old-database.ts'
import { at } from '../support/rows.ts'

/** A deposit as rows of that time; published where it has a record. */
interface Old {
  readonly id: string
  readonly record?: string
  readonly predecessor?: string
  /** Minute of the first publishing. */
  readonly minute?: number
}

const id = (start: string): string => start + randomUUID().replaceAll('-', '').slice(start.length)

/** A chain of three with two drafts of the fourth, a fork, orphans, and some that stand alone. */
const chain: readonly Old[] = [
  { id: id('0123456789'), record: 'v1', minute: 1 },
  { id: id('00000000ff'), record: 'v2', predecessor: 'v1', minute: 2 },
  { id: id('ffffffffff'), record: 'v3', predecessor: 'v2', minute: 3 },
  { id: id('a1'), predecessor: 'v3' },
  { id: id('a2'), predecessor: 'v1' },
  // Made from the first one by mistake, when there was a second: it is the fourth.
  { id: id('a3'), record: 'fork', predecessor: 'v1', minute: 4 },
  { id: id('b1'), record: 'orphan', predecessor: 'lost', minute: 5 },
  { id: id('b2'), record: 'child', predecessor: 'orphan', minute: 6 },
  { id: id('c1'), record: 'single', minute: 7 },
  { id: id('c2') },
  { id: 'made by somebody else', record: 'strange', minute: 8 },
  { id: id('dddddddddd'), record: 'same bits', minute: 9 },
  { id: id('dddddddddd'), record: 'once more', minute: 10 },
]

async function insertOld(db: Kysely<Tables>): Promise<void> {
  for (const { id: deposit, record, predecessor = null, minute = 0 } of chain) {
    const times = { created: at(minute), updated: at(minute) }
    const document = {
      document: '{}',
      digest: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    }
    const pid = { object_type: 'rec', object_uuid: randomUUID(), status: 'K' }
    const pids = [
      { pid_type: 'depid', pid_value: deposit, ...pid },
      ...(record === undefined ? [] : [{ pid_type: 'recid', pid_value: record, ...pid }]),
    ]
    await db.insertInto('pids').values(pids).execute()
    await db
      .insertInto('deposits')
      .values({
        id: deposit,
        bucket_id: deposit,
        status: record === undefined ? 'draft' : 'published',
        owner: 'ada',
        owners: '["ada"]',
        created_by: 'ada',
        ...document,
        revision: 1,
        ...(record !== undefined && {
          record_type: 'recid',
          record_value: record,
          record_revision: 0,
        }),
        predecessor,
        indexed: 1,
        ...times,
      } as never)
      .execute()
    if (record === undefined) continue
    await db
      .insertInto('record_revisions')
      .values({
        pid_type: 'recid',
        pid_value: record,
        revision: 0,
        latest: 1,
        bucket_id: deposit,
        ...document,
        deposit: JSON.stringify({ id: deposit, owners: ['ada'], created_by: 'ada' }),
        predecessor,
        ...times,
        manifested: 1,
      } as never)
      .execute()
  }
}

describe.each(engines)('a database from before there were concepts (%s)', (engine) => {
  it('gets concepts by following predecessors, one chain of versions each', async () => {
    await using stack = new AsyncDisposableStack()
    const { read, upkeep } = await openOld(stack, engine, { before: concepts, insert: insertOld })
    const recordOf = async (value: string) => {
      const record = await read.records.find(value)
      if (!record) throw new Error(`there is no ${value}`)
      return record
    }

    expect(await collect(upkeep.inspect('full'))).toEqual([])
    const concept = conceptOfOld(parseDepositId(chain[0]?.id ?? ''))
    expect(concept).toMatch(/^[0-9a-z]{5}-[0-9a-z]{3}\d\d$/)
    const versions = await read.records.versions(concept ?? '', { offset: 0, limit: 10 })
    expect(versions).toEqual({ values: ['fork', 'v3', 'v2', 'v1'], total: 4 })
    for (const [index, value] of ['v1', 'v2', 'v3', 'fork'].entries()) {
      const predecessor = ['v1', 'v2', 'v3'][index - 1]
      expect(await recordOf(value)).toMatchObject({
        concept,
        number: index + 1,
        superseded: value !== 'fork',
        ...(predecessor && { predecessor }),
      })
    }
    for (const at of [3, 4]) {
      const draft = await read.deposits.find(parseDepositId(chain[at]?.id ?? ''))
      expect(draft?.concept).toBe(concept)
    }
    const [orphan, child] = [await recordOf('orphan'), await recordOf('child')]
    expect(child).toMatchObject({ concept: orphan.concept, number: 2, predecessor: 'orphan' })
    const alone = await Promise.all(['single', 'strange', 'same bits', 'once more'].map(recordOf))
    for (const record of alone) expect(record).toMatchObject({ number: 1, superseded: false })
    const all = [concept, orphan.concept, ...alone.map((record) => record.concept)]
    expect(new Set(all).size).toBe(all.length)
    for (const value of all) {
      const pid = await read.pids.find({ type: 'recid', value: value ?? '' })
      expect(pid).toMatchObject({ objectType: 'concept', status: 'K' })
      expect(pid?.objectUuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
    }
    const page = { order: 'newest', offset: 0, limit: 20, isNewest: true } as const
    expect(await read.records.list(page)).toHaveLength(6)
    // What a manifest of that time does not tell is written again, and nothing else is.
    const due = (await upkeep.unmanifested(20)).map(({ value }) => value)
    expect(due).toEqual(expect.arrayContaining(['fork', 'same bits', 'once more', 'strange']))
    expect(due).not.toContain('v1')
  })
})
