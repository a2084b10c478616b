import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  newBucketId,
  newVersionId,
  parseVersionId,
  toFileKey,
  type BucketId,
  type DepositFile,
} from '../../core/files/file.ts'
import type { UnitOfWork } from '../../core/ports/database.ts'
import type { FileOrder } from '../../core/ports/files.ts'
import { collect } from '../support/collect.ts'
import { sampleFile, sampleVersion } from '../support/rows.ts'
import type { CurrentFixture } from './database.contract.ts'

/** Rows of files: keys, versions, orders, totals, and which blobs nothing refers to. */
export function fileRowsContract(current: CurrentFixture): void {
  const files = () => current().database.read.files
  const change = <Result>(work: (unit: UnitOfWork) => Promise<Result>) =>
    current().database.write(work)
  const add = (bucket: BucketId, key: string, size?: number): Promise<DepositFile> =>
    change((unit) => unit.files.add(sampleFile(bucket, key, size)))
  const addAll = async (bucket: BucketId, ...keys: readonly string[]) => {
    const added: DepositFile[] = []
    for (const key of keys) added.push(await add(bucket, key))
    return added
  }
  const addMany = (bucket: BucketId, count: number) =>
    change(async (unit) => {
      const added: DepositFile[] = []
      for (let index = 0; index < count; index += 1) {
        added.push(await unit.files.add(sampleFile(bucket, `${index}`)))
      }
      return added
    })
  const keys = async (bucket: BucketId, order: FileOrder = 'draft') =>
    (await files().list(bucket, order)).map(({ key }) => key)
  const blobs = async () =>
    (await collect(current().database.read.blobs.each())).map(({ id }) => id)
  const totals = async (bucket: BucketId) => (await files().totals([bucket])).get(bucket)

  describe('files', () => {
    it('adds files at the end, and returns them as they were stored', async () => {
      const bucket = newBucketId()
      const added = await addAll(bucket, 'c', 'dir/a', 'b')

      expect(await files().list(bucket, 'draft')).toEqual(added)
      expect(await files().find(bucket, toFileKey('dir/a'))).toEqual(added[1])
      expect(await files().find(newBucketId(), toFileKey('dir/a'))).toBeUndefined()
    })

    it('says of a key what is there before a file is put under it', async () => {
      const bucket = newBucketId()
      const place = (key: string) => files().findPlace(bucket, toFileKey(key))

      expect(await place('a')).toEqual({ totals: { count: 0, size: 0 }, next: 0 })
      const [first] = await addAll(bucket, 'a', 'b')
      await addAll(newBucketId(), 'c')
      const totals = { count: 2, size: 14 }
      expect(await place('a')).toEqual({ file: first, totals, next: 2 })
      expect(await place('c')).toEqual({ totals, next: 2 })
    })

    it('adds several at once with the same result as one by one, all or none', async () => {
      const bucket = newBucketId()
      const addTogether = (...names: readonly string[]) =>
        change((unit) =>
          unit.files.addAll(
            bucket,
            names.map((name) => sampleFile(bucket, name)),
          ),
        )
      const first = await add(bucket, 'c')
      const together = await addTogether('b', 'a')

      await expect(addTogether('d', 'a')).rejects.toMatchObject({ code: 'file_already_exists' })
      await expect(addTogether('e', 'e')).rejects.toMatchObject({ code: 'file_already_exists' })
      expect(await files().list(bucket, 'draft')).toEqual([first, ...together])
      expect(await blobs()).toHaveLength(3)
      expect(await totals(bucket)).toEqual({ count: 3, size: 21 })
    })

    it('refuses a key that the bucket has, and keeps nothing of the new file', async () => {
      const bucket = newBucketId()
      const [first] = await addAll(bucket, 'a')

      await expect(add(bucket, 'a')).rejects.toMatchObject({ code: 'file_already_exists' })
      expect(await files().list(bucket, 'draft')).toEqual([first])
      expect(await blobs()).toEqual([first?.latest.blob.id])
      expect(await totals(bucket)).toEqual({ count: 1, size: 7 })
    })

    it('keeps one of many simultaneous adds of the same key', async () => {
      const bucket = newBucketId()
      const settled = await Promise.allSettled(Array.from({ length: 20 }, () => add(bucket, 'a')))

      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await keys(bucket)).toEqual(['a'])
      expect(await blobs()).toHaveLength(1)
    })

    it('renames in place, but not to a key that another file has', async () => {
      const bucket = newBucketId()
      const [a, b] = await addAll(bucket, 'a', 'b')
      if (!a || !b) throw new Error('two files were added')
      const renamed = await change((unit) => unit.files.rename(a, toFileKey('c')))

      expect(renamed).toEqual({ ...a, key: 'c' })
      expect(await files().list(bucket, 'draft')).toEqual([renamed, b])
      const taken = change((unit) => unit.files.rename(b, toFileKey('c')))
      await expect(taken).rejects.toMatchObject({ code: 'file_already_exists' })
    })

    it('keeps all versions, latest first', async () => {
      const bucket = newBucketId()
      const file = await add(bucket, 'a', 1)
      const [second, third] = [sampleVersion(20), sampleVersion(300)]
      const newer = await change((unit) => unit.files.addVersion(file, second))
      const newest = await change((unit) => unit.files.addVersion(newer, third))

      expect(newest).toEqual({ ...file, latest: third })
      expect(await files().find(bucket, file.key)).toEqual(newest)
      expect(await files().versions(newest)).toEqual([third, second, file.latest])
      expect(await files().findVersion(newest, second.id)).toEqual(second)
      expect(await files().findVersion(newest, third.id)).toEqual(third)
      expect(await files().findVersion(newest, newVersionId())).toBeUndefined()
    })

    it('finds no version of another file', async () => {
      const bucket = newBucketId()
      const [a, b] = await addAll(bucket, 'a', 'b')
      if (!a || !b) throw new Error('two files were added')

      expect(await files().findVersion(a, b.latest.id)).toBeUndefined()
    })

    it('totals only the latest versions', async () => {
      const bucket = newBucketId()
      expect(await totals(bucket)).toBeUndefined()
      const file = await add(bucket, 'a', 1000)
      await add(bucket, 'b', 5_000_000_000)
      expect(await totals(bucket)).toEqual({ count: 2, size: 5_000_001_000 })

      const newer = await change((unit) => unit.files.addVersion(file, sampleVersion(1)))
      expect(await totals(bucket)).toEqual({ count: 2, size: 5_000_000_001 })

      await change((unit) => unit.files.remove(newer))
      expect(await totals(bucket)).toEqual({ count: 1, size: 5_000_000_000 })
    })
  })

  describe('the orders of files', () => {
    const reverse = async (bucket: BucketId, isPublished: boolean) => {
      const reversed = (await files().list(bucket, 'draft')).toReversed()
      await change((unit) => unit.files.reorder(reversed, isPublished))
    }

    it('are the same when the bucket was never published', async () => {
      const bucket = newBucketId()
      await addAll(bucket, 'a', 'b', 'c')
      await reverse(bucket, false)

      expect(await keys(bucket)).toEqual(['c', 'b', 'a'])
      expect(await keys(bucket, 'published')).toEqual(['c', 'b', 'a'])
      await add(bucket, 'd')
      expect(await keys(bucket)).toEqual(['c', 'b', 'a', 'd'])
    })

    it('differ while a published bucket is sorted, however often, until it is published', async () => {
      const bucket = newBucketId()
      const [a, b, c] = await addAll(bucket, 'a', 'b', 'c')
      if (!a || !b || !c) throw new Error('three files were added')
      await reverse(bucket, true)
      await change((unit) => unit.files.reorder([b, c, a], true))

      expect(await keys(bucket)).toEqual(['b', 'c', 'a'])
      expect(await keys(bucket, 'published')).toEqual(['a', 'b', 'c'])
      await change((unit) => unit.files.publishOrder(bucket))
      expect(await keys(bucket, 'published')).toEqual(['b', 'c', 'a'])
    })

    it('are the same again once the published one is restored', async () => {
      const bucket = newBucketId()
      await addAll(bucket, 'a', 'b', 'c')
      await reverse(bucket, true)
      await change((unit) => unit.files.restoreOrder(bucket))

      expect(await keys(bucket)).toEqual(['a', 'b', 'c'])
      expect(await keys(bucket, 'published')).toEqual(['a', 'b', 'c'])
    })
  })

  describe('blobs', () => {
    it('are found, and iterated in the order of ids, for more than a batch', async () => {
      const bucket = newBucketId()
      const added = await change(async (unit) => {
        const names = Array.from({ length: 601 }, (_, index) => `${index}`)
        return Promise.all(names.map((name) => unit.files.add(sampleFile(bucket, name))))
      })
      const ids = added.map(({ latest }) => latest.blob.id)

      expect(await blobs()).toEqual(ids.toSorted())
      const [first] = added
      if (!first) throw new Error('files were added')
      const { blob } = first.latest
      expect(await current().database.read.blobs.find(blob.id)).toEqual(blob)
    })

    it('of a removed file are returned with those of its versions, and are gone', async () => {
      const bucket = newBucketId()
      const kept = await add(bucket, 'kept')
      const file = await add(bucket, 'a')
      const version = sampleVersion()
      const newer = await change((unit) => unit.files.addVersion(file, version))
      const removed = await change((unit) => unit.files.remove(newer))

      expect(new Set(removed)).toEqual(new Set([file.latest.blob.id, version.blob.id]))
      expect(await blobs()).toEqual([kept.latest.blob.id])
      expect(await keys(bucket)).toEqual(['kept'])
    })

    it('that another bucket refers to are not returned, and stay', async () => {
      const [from, to] = [newBucketId(), newBucketId()]
      const [a, b] = await addAll(from, 'a', 'b')
      if (!a || !b) throw new Error('two files were added')
      const older = a.latest.blob.id
      const newer = await change((unit) => unit.files.addVersion(a, sampleVersion()))
      await change((unit) => unit.files.carryOver(from, to))

      expect(await keys(to)).toEqual(['a', 'b'])
      expect(await totals(to)).toEqual(await totals(from))
      const carried = await files().find(to, a.key)
      expect(carried?.latest.blob).toEqual(newer.latest.blob)
      expect(carried?.id).not.toBe(a.id)
      expect(carried && (await files().versions(carried))).toHaveLength(1)

      expect(await change((unit) => unit.files.removeAll(from))).toEqual([older])
      expect(await keys(from)).toEqual([])
      expect(await totals(from)).toBeUndefined()
      const last = await change((unit) => unit.files.removeAll(to))
      expect(new Set(last)).toEqual(new Set([newer.latest.blob.id, b.latest.blob.id]))
      expect(await blobs()).toEqual([])
    })

    it('of a deleted file that can be brought back stay, also where other files with them go', async () => {
      const [from, to] = [newBucketId(), newBucketId()]
      const a = await add(from, 'a')
      await change((unit) => unit.files.carryOver(from, to))
      const carried = await files().find(to, a.key)
      if (!carried) throw new Error('the file was carried over')
      const deletion = { deleted: '2026-11-20T12:00:00.000Z', by: 'system' } as const
      await change((unit) => unit.trash.put(carried, deletion))

      expect(await change((unit) => unit.files.removeAll(from))).toEqual([])
      expect(await blobs()).toEqual([a.latest.blob.id])
      const trashed = await current().database.read.trash.find(to, carried.id)
      if (!trashed) throw new Error('the file is in the trash')
      await change((unit) => unit.trash.restore(trashed, a.key))
      expect((await files().find(to, a.key))?.latest.blob).toEqual(a.latest.blob)
    })

    it('are shared by files of more than one batch, whose order and keys are kept', async () => {
      const [from, to] = [newBucketId(), newBucketId()]
      const added = await addMany(from, 2500)
      const sorted = added.toReversed()
      await change((unit) => unit.files.reorder(sorted, false))
      await change((unit) => unit.files.carryOver(from, to))

      const carried = await files().list(to, 'draft')
      const contents = (all: readonly DepositFile[]) =>
        all.map(({ key, position, latest: { id, ...version } }) => ({ key, position, version }))
      expect(contents(carried)).toEqual(contents(await files().list(from, 'draft')))
      expect(carried.map(({ key }) => key)).toEqual(sorted.map(({ key }) => key))
      expect(await totals(to)).toEqual(await totals(from))

      const ids = [...added, ...carried].flatMap(({ id, latest }) => [id, latest.id])
      expect(new Set(ids).size).toBe(ids.length)
      expect(carried.filter(({ latest }) => parseVersionId(latest.id) !== latest.id)).toEqual([])
      expect(carried.filter(({ id }) => parseVersionId(id) === undefined)).toEqual([])
    })

    it('of many files are put into another order without blocking all other work', async () => {
      const bucket = newBucketId()
      const sorted = (await addMany(bucket, 1500)).toReversed()

      const first = await change(async (unit) => {
        const sorting = unit.files.reorder(sorted, true).then(() => 'sorted')
        const winner = await Promise.race([sorting, setImmediate('turn')])
        await sorting
        return winner
      })
      expect(first).toBe('turn')
      const wanted = sorted.map(({ key }) => key)
      expect(await keys(bucket)).toEqual(wanted)
      expect(await keys(bucket, 'published')).toEqual(wanted.toReversed())
    })

    it('are shared without blocking all other work', async () => {
      const [from, to] = [newBucketId(), newBucketId()]
      await addMany(from, 1500)

      const first = await change(async (unit) => {
        const copying = unit.files.carryOver(from, to).then(() => 'copied')
        const winner = await Promise.race([copying, setImmediate('turn')])
        await copying
        return winner
      })
      expect(first).toBe('turn')
      expect(await totals(to)).toEqual(await totals(from))
    })

    it('are shared all or none: nothing is copied when one key is taken', async () => {
      const [from, to] = [newBucketId(), newBucketId()]
      await addMany(from, 1500)
      const [taken] = await addAll(to, '1400')

      await expect(change((unit) => unit.files.carryOver(from, to))).rejects.toThrow()
      expect(await files().list(to, 'draft')).toEqual([taken])
      expect(await totals(to)).toEqual({ count: 1, size: 7 })
    })

    it('of a bucket are all returned, also from more than one batch', async () => {
      const bucket = newBucketId()
      await addMany(bucket, 1100)

      expect(await change((unit) => unit.files.removeAll(bucket))).toHaveLength(1100)
      expect(await blobs()).toEqual([])
    })
  })
}
