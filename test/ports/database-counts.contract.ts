import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { parseUserId } from '../../core/access/caller.ts'
import { newBlobId, newBucketId, toFileKey, type DepositFile } from '../../core/files/file.ts'
import type { UnitOfWork } from '../../core/ports/database.ts'
import { collect } from '../support/collect.ts'
import { useDeposits } from '../support/use-deposits.ts'
import { fileRowBytes, rowBytes } from '../support/row-bytes.ts'
import { at, sampleDraft, sampleFile, sampleRecord, sampleVersion } from '../support/rows.ts'
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

  describe('rows of files', () => {
    const [user, heir] = [parseUserId('owner'), parseUserId('heir')]
    const owned = { owners: [user], createdBy: user, metadata: {} }
    const usage = (of = user) => current().database.read.usage.metadata(of)
    const write = <Result>(work: (unit: UnitOfWork) => Promise<Result>): Promise<Result> =>
      current().database.write(work)
    const added = async (work: (unit: UnitOfWork) => Promise<unknown>): Promise<number> => {
      const before = await usage()
      await write(work)
      return (await usage()) - before
    }
    /** Faults of the sums, as the operator is told them. */
    const faults = async () =>
      (await collect(current().database.upkeep.inspect('full'))).filter(
        ({ table }) => table === 'metadata_usage',
      )
    /** A file in three versions, and one that was deleted in two. */
    const fill = async () => {
      const bucket = newBucketId()
      const draft = sampleDraft({ ...owned, bucket })
      const deletion = { deleted: at(1), by: user }
      await write(async (unit) => {
        await unit.deposits.insert(draft)
        const file = await unit.files.add(sampleFile(bucket, 'a', 0))
        const second = await unit.files.addVersion(file, sampleVersion(0))
        await unit.files.addVersion(second, sampleVersion(0))
        const deleted = await unit.files.add(sampleFile(bucket, 'deleted', 0))
        await unit.trash.put(await unit.files.addVersion(deleted, sampleVersion(0)), deletion)
      })
      return draft
    }
    const filled = fileRowBytes('a') + fileRowBytes('deleted') + 3 * rowBytes

    it('count for the owner of their deposit, with every change', async () => {
      const draft = sampleDraft(owned)
      await write((unit) => unit.deposits.insert(draft))
      let file: DepositFile = { ...sampleFile(draft.bucket, 'ä.txt', 0), position: 0 }
      const change = (work: (unit: UnitOfWork) => Promise<DepositFile>): Promise<number> =>
        added(async (unit) => void (file = await work(unit)))

      expect(await change((unit) => unit.files.add(file))).toBe(fileRowBytes('ä.txt'))
      expect(await change((unit) => unit.files.addVersion(file, sampleVersion(0)))).toBe(rowBytes)
      const again = { ...sampleVersion(0), blob: file.latest.blob }
      expect(await change((unit) => unit.files.bringBack(file, again))).toBe(rowBytes)
      expect(await change((unit) => unit.files.rename(file, toFileKey('aä.txt')))).toBe(1)
      expect(await change((unit) => unit.files.rename(file, toFileKey('b.txt')))).toBe(-2)
      const deletion = { deleted: at(1), by: user }
      expect(await added((unit) => unit.trash.put(file, deletion))).toBe(0)
      const [trashed] = await current().database.read.trash.list(draft.bucket, { limit: 1 })
      if (!trashed) throw new Error('the file is in the trash')
      expect(await change((unit) => unit.trash.restore(trashed, toFileKey('long.txt')))).toBe(3)
      const undone = added(async (unit) => {
        await unit.files.remove(file)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      expect(await faults()).toEqual([])
      const all = fileRowBytes('long.txt') + 2 * rowBytes
      expect(await added((unit) => unit.files.remove(file))).toBe(-all)
      expect(await faults()).toEqual([])
    })

    it('count once more where files are carried over, however many they are', async () => {
      const [from, to] = [sampleDraft(owned), sampleDraft(owned)]
      const keys = Array.from({ length: 2100 }, (_, index) => `${index}`)
      await write(async (unit) => {
        for (const draft of [from, to]) await unit.deposits.insert(draft)
        const rows = keys.map((key) => sampleFile(from.bucket, key, 0))
        await unit.files.addAll(from.bucket, rows)
      })
      let told = 0
      const more = await added(
        async (unit) => void (told = await unit.files.carryOver(from.bucket, to.bucket)),
      )

      expect(more).toBe(keys.reduce((sum, key) => sum + fileRowBytes(key), 0))
      expect(told).toBe(more)
      expect(await added((unit) => unit.files.removeAll(to.bucket))).toBe(-more)
      expect(await faults()).toEqual([])
    })

    it('go with a deposit, to another owner and out of the database', async () => {
      const draft = await fill()
      const document = 2
      expect(await usage()).toBe(document + filled)
      const next = { ...draft, owners: [heir] }
      const charged = await write(async (unit) => {
        const saved = await unit.deposits.save(next, at(2))
        return unit.deposits.charge(saved, user, heir)
      })

      expect([await usage(), await usage(heir)]).toEqual([0, document + filled])
      expect(charged).toBe(document + filled)
      expect(await faults()).toEqual([])
      await write(async (unit) => {
        await unit.files.removeAll(draft.bucket)
        await unit.deposits.remove(draft.id)
      })
      expect([await usage(), await usage(heir)]).toEqual([0, 0])
      expect(await faults()).toEqual([])
    })

    it('of the trash give way, the first that was deleted first', async () => {
      const { bucket } = await fill()
      await write(async (unit) => {
        const file = await unit.files.add(sampleFile(bucket, 'b', 100))
        await unit.trash.put(file, { deleted: at(2), by: user })
      })
      const { trash } = current().database.read
      const first = fileRowBytes('deleted') + rowBytes
      const second = fileRowBytes('b') + 100
      expect(await trash.bytesOf(user)).toBe(first + second)

      expect(await added((unit) => unit.trash.giveUp(first, user))).toBe(-first)
      expect(await trash.bytesOf(user)).toBe(second)
      expect(await added((unit) => unit.trash.giveUp(1, user))).toBe(-fileRowBytes('b'))
      expect(await trash.bytesOf(user)).toBe(0)
      expect(await faults()).toEqual([])
    })

    it('of files to come count with the uploads that are not finished', async () => {
      const draft = sampleDraft(owned)
      const upload = {
        id: newBlobId(),
        deposit: draft.id,
        owner: user,
        key: toFileKey('ä'),
        size: 100,
        replaces: false,
        metadata: {},
        created: at(0),
      }
      await write(async (unit) => {
        await unit.deposits.insert(draft)
        await unit.uploads.insert(upload)
      })
      const { usage: sums } = current().database.read
      const announced = 100 + fileRowBytes('ä')

      expect(await sums.of(user)).toBe(announced)
      expect((await sums.holding(user)).stored).toBe(announced)
      expect((await sums.breakdown(user)).uploads).toBe(announced)
      await write((unit) => unit.uploads.finish(upload.id, at(1)))
      expect(await sums.of(user)).toBe(0)
    })
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
