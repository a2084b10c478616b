import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import {
  collectGarbage,
  createDeposits,
  createFiles,
  newBlobId,
  toFileKey,
  type DepositId,
  type Parts,
} from '../../core/index.ts'
import { depositPidType } from '../../core/pid/deposit-pid.ts'
import { purgeDeletions } from '../../core/service/sweep-uploads.ts'
import { coreParts, owner as caller, type CoreParts } from '../support/core-parts.ts'

/** The same parts, for which every deletion is older than the retention. */
function afterRetention(parts: CoreParts): CoreParts {
  return { ...parts, settings: { ...parts.settings, retentionMs: -60_000 } }
}

/** The same parts, whose rows change right after the list of purgeable deposits was read. */
function changedBehind(parts: CoreParts, change: () => Promise<void>): CoreParts {
  const { database } = parts
  const hiddenBefore: typeof database.read.deposits.hiddenBefore = async (time) => {
    const found = await database.read.deposits.hiddenBefore(time)
    await change()
    return found
  }
  const deposits = { ...database.read.deposits, hiddenBefore }
  return {
    ...parts,
    database: {
      ...database,
      read: { ...database.read, deposits },
      write: (work) => database.write(work),
    },
  }
}

async function draftWithFile(parts: Parts): Promise<DepositId> {
  const { id } = await createDeposits(parts).create(caller, { title: 'Sea level' })
  const files = createFiles(parts)
  await using staged = await files.stage({ caller, id }, Readable.from(['content']), {})
  await files.add({ caller, id }, toFileKey('a'), staged)
  return id
}

/** The number of files that can be read once the deposit is visible again. */
async function filesOnceShown({ database }: Parts, id: DepositId): Promise<number | undefined> {
  return database.write(async (unit) => {
    if (!(await unit.deposits.show(id))) return undefined
    const deposit = await unit.deposits.find(id)
    return deposit && (await unit.files.list(deposit.bucket, 'draft')).length
  })
}

describe('The purge of deleted deposits', () => {
  it('removes a kept deposit after the retention', async () => {
    await using stack = new AsyncDisposableStack()
    const parts = await coreParts(stack)
    const id = await draftWithFile(parts)
    await createDeposits(parts).remove(caller, id, false)

    await purgeDeletions(parts)
    expect(await parts.database.read.deposits.hiddenBefore('9999')).toEqual([id])
    await purgeDeletions(afterRetention(parts))
    expect(await filesOnceShown(parts, id)).toBeUndefined()
  })

  it('never removes a redirected deposit, which is hidden for another reason', async () => {
    await using stack = new AsyncDisposableStack()
    const parts = await coreParts(stack)
    const id = await draftWithFile(parts)
    await parts.database.write(async (unit) => {
      await unit.pids.redirect(
        { type: depositPidType, value: id },
        { type: depositPidType, value: 'b' },
        parts.clock.now(),
      )
      await unit.deposits.hide(id, parts.clock.now())
    })

    await purgeDeletions(afterRetention(parts))

    expect(await filesOnceShown(parts, id)).toBe(1)
  })

  it('keeps a deposit that was restored after the purge had listed it', async () => {
    await using stack = new AsyncDisposableStack()
    const parts = await coreParts(stack)
    const id = await draftWithFile(parts)
    await createDeposits(parts).remove(caller, id, false)
    const bringBack = (): Promise<void> =>
      parts.database.write(async (unit) => {
        await unit.pids.setStatus({ type: depositPidType, value: id }, 'R')
        await unit.deposits.show(id)
      })

    await purgeDeletions(changedBehind(afterRetention(parts), bringBack))

    const bucket = (await parts.database.read.deposits.find(id))?.bucket
    expect(bucket && (await parts.database.read.files.list(bucket, 'draft'))).toHaveLength(1)
  })
})

describe('The collection of garbage', () => {
  it('keeps a blob whose row is written after its file was listed', async () => {
    await using stack = new AsyncDisposableStack()
    const parts = await coreParts(stack)
    const id = await draftWithFile(parts)
    const stray = await parts.blobs.write(newBlobId(), Readable.from(['nobody']), { limit: 100 })
    const { database } = parts
    const asked = new Set<string>()
    // The first look at each blob comes before its row.
    const find: typeof database.read.blobs.find = async (blob) => {
      if (asked.has(blob)) return database.read.blobs.find(blob)
      asked.add(blob)
      return undefined
    }
    const early = {
      ...database,
      read: { ...database.read, blobs: { ...database.read.blobs, find } },
    }
    const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString()
    const clock = { ...parts.clock, settled: () => inTwoDays }

    const collected: string[] = []
    const total = await collectGarbage(
      { ...parts, database: early, clock },
      (blob) => collected.push(blob),
      new AbortController().signal,
    )

    expect(collected).toEqual([stray.id])
    expect(total.blobs).toBe(1)
    const files = createFiles(parts)
    const { version } = await files.find({ caller, id }, toFileKey('a'))
    expect(await text(await files.read(version))).toBe('content')
  })

  it('keeps bytes without a row that are younger than a day', async () => {
    await using stack = new AsyncDisposableStack()
    const parts = await coreParts(stack)
    const { id } = await parts.blobs.write(newBlobId(), Readable.from(['on its way']), {
      limit: 100,
    })

    const total = await collectGarbage(parts, () => {}, new AbortController().signal)

    expect(total).toMatchObject({ blobs: 0, size: 0, young: 1 })
    expect(await parts.blobs.size(id)).toBe(10)
  })
})
