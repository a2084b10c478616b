import type { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { fileWriter } from '../../core/adapters/database/file-rows.ts'
import { toRow } from '../../core/adapters/database/deposit-row.ts'
import { trashWriter } from '../../core/adapters/database/trash-rows.ts'
import { rowsCounted } from '../../core/adapters/database/schema/0044-rows-counted.ts'
import type { Tables } from '../../core/adapters/database/schema/tables.ts'
import { parseUserId } from '../../core/index.ts'
import { engines, openOld } from '../support/old-database.ts'
import { fileRowBytes, rowBytes } from '../support/row-bytes.ts'
import { at, sampleDraft, sampleFile, sampleVersion } from '../support/rows.ts'

const [ada, bob] = [parseUserId('ada-id'), parseUserId('bob-id')]
const ownedBy = (user: typeof ada) => sampleDraft({ owners: [user], createdBy: user, metadata: {} })
const [first, second, third] = [ownedBy(ada), ownedBy(ada), ownedBy(bob)]

async function insertOld(db: Kysely<Tables>): Promise<void> {
  const files = fileWriter(db)
  for (const draft of [first, second, third])
    await db.insertInto('deposits').values(toRow(draft)).execute()
  const file = await files.add(sampleFile(first.bucket, 'ä', 0))
  await files.addVersion(file, sampleVersion(0))
  const deleted = await files.add(sampleFile(second.bucket, 'deleted', 0))
  const newer = await files.addVersion(deleted, sampleVersion(0))
  await trashWriter(db).put(newer, { deleted: at(1), by: ada })
  await files.add(sampleFile(third.bucket, 'b', 0))
}

describe.each(engines)('rows of files of an older program (%s)', (engine) => {
  it('count for the owners of their deposits, and count no more once they are gone', async () => {
    await using stack = new AsyncDisposableStack()
    const database = await openOld(stack, engine, { before: rowsCounted, insert: insertOld })
    const { usage } = database.read
    const documents = 2 * '{}'.length

    const rows = fileRowBytes('ä') + fileRowBytes('deleted') + 2 * rowBytes
    expect(await usage.breakdown(ada)).toMatchObject({ metadata: documents + rows, answers: 0 })
    expect(await usage.metadata(bob)).toBe('{}'.length + fileRowBytes('b'))
    await database.write(async (unit) => {
      for (const { bucket } of [first, second]) await unit.files.removeAll(bucket)
    })
    expect(await usage.metadata(ada)).toBe(documents)
    expect(await usage.metadata(bob)).toBe('{}'.length + fileRowBytes('b'))
  })
})
