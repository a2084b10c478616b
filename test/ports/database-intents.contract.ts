import { describe, expect, it } from 'vitest'
import { newBlobId, newBucketId } from '../../core/files/file.ts'
import { sampleFile } from '../support/rows.ts'
import type { CurrentFixture } from './database.contract.ts'

const early = '2026-01-01T00:00:00.000Z'
const late = '2026-01-02T00:00:00.000Z'

/** Notes of the blobs that are about to be written to a store. */
export function intentRowsContract(current: CurrentFixture): void {
  describe('intents', () => {
    it('are found by age, until they are removed', async () => {
      const { database } = current()
      const [first, second] = [newBlobId(), newBlobId()]
      await database.write((unit) => unit.intents.renew(second, late))
      await database.write((unit) => unit.intents.renew(first, early))

      expect(await database.read.intents.before(late, 10)).toEqual([first])
      expect(await database.read.intents.before('2026-01-03', 1)).toEqual([first])
      expect(await database.read.intents.find(second)).toBe(late)
      await database.write((unit) => unit.intents.remove(first))
      expect(await database.read.intents.find(first)).toBeUndefined()
    })

    it('that are given up cannot be renewed', async () => {
      const { database } = current()
      const id = newBlobId()
      await database.write((unit) => unit.intents.renew(id, early))

      expect(await database.write((unit) => unit.intents.giveUp(id, late))).toBe(true)
      expect(await database.write((unit) => unit.intents.giveUp(id, late))).toBe(true)
      expect(await database.write((unit) => unit.intents.renew(id, late))).toBe(false)
    })

    it('that have been renewed are not given up', async () => {
      const { database } = current()
      const id = newBlobId()
      await database.write((unit) => unit.intents.renew(id, early))
      expect(await database.write((unit) => unit.intents.renew(id, late))).toBe(true)
      expect(await database.write((unit) => unit.intents.giveUp(id, late))).toBe(false)
    })

    it('whose blob has a row are settled, not given up', async () => {
      const { database } = current()
      const file = sampleFile(newBucketId(), 'a')
      const { id } = file.latest.blob
      await database.write((unit) => unit.files.add(file))
      await database.write((unit) => unit.intents.renew(id, early))

      expect(await database.write((unit) => unit.intents.giveUp(id, late))).toBe(false)
      expect(await database.read.intents.find(id)).toBeUndefined()
    })

    it('that are settled are removed at once, and others are kept', async () => {
      const { database } = current()
      const [settled, recent] = [sampleFile(newBucketId(), 'a'), sampleFile(newBucketId(), 'b')]
      const open = newBlobId()
      await database.write(async ({ files, intents }) => {
        for (const file of [settled, recent]) await files.add(file)
        await intents.renew(settled.latest.blob.id, early)
        await intents.renew(recent.latest.blob.id, late)
        await intents.renew(open, early)
      })
      await database.write((unit) => unit.intents.removeSettled(late))

      const { find } = database.read.intents
      expect(await find(settled.latest.blob.id)).toBeUndefined()
      expect(await find(recent.latest.blob.id)).toBe(late)
      expect(await find(open)).toBe(early)
    })
  })
}
