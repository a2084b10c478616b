import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyRows, type RowsAt } from '../../core/adapters/database/copy-rows.ts'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { openPostgresDatabase } from '../../core/adapters/postgres/postgres-database.ts'
import type { Database } from '../../core/ports/database.ts'
import { collect } from '../support/collect.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { fileRowBytes, rowBytes } from '../support/row-bytes.ts'
import { ada, at, sampleDraft, sampleFile, sampleVersion } from '../support/rows.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const report = (error: unknown): void => {
  throw error
}

const open = (at: RowsAt): Promise<Database> =>
  'url' in at ? openPostgresDatabase(at.url, report) : openSqliteDatabase(at.file, report)

/** A file in two versions, and a deleted one in two. */
async function fill(database: Database): Promise<void> {
  const draft = sampleDraft({ metadata: {} })
  await database.write(async (unit) => {
    await unit.deposits.insert(draft)
    const file = await unit.files.add(sampleFile(draft.bucket, 'a', 0))
    await unit.files.addVersion(file, sampleVersion(0))
    const deleted = await unit.files.add(sampleFile(draft.bucket, 'deleted', 0))
    const newer = await unit.files.addVersion(deleted, sampleVersion(0))
    await unit.trash.put(newer, { deleted: at(1), by: ada })
  })
}

describe.skipIf(!hasPostgres())('rows that are copied into another database', () => {
  it('count as before, those of deleted files and their versions too', async () => {
    await using server = await startPostgres()
    await using folder = await temporaryFolder()
    const url = await server.database(randomUUID())
    const places = [
      { file: join(folder.path, 'first.db') },
      { url },
      { file: join(folder.path, 'last.db') },
    ] as const
    for (const place of places) await (await open(place))[Symbol.asyncDispose]()
    {
      await using database = await open(places[0])
      await fill(database)
    }
    const expected = '{}'.length + fileRowBytes('a') + fileRowBytes('deleted') + 2 * rowBytes
    const { signal } = new AbortController()
    const options = { progress: () => {}, signal, note: 'unfinished' }

    for (const [at, place] of places.entries()) {
      const before = places[at - 1]
      if (before) await copyRows(before, place, options)
      await using database = await open(place)
      expect(await database.read.usage.metadata(ada)).toBe(expected)
      const faults = await collect(database.upkeep.inspect('full'))
      expect(faults.filter(({ table }) => table === 'metadata_usage')).toEqual([])
    }
  })
})
