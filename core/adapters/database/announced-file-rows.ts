import type { Kysely } from 'kysely'
import type { FileKey } from '../../files/file.ts'
import type { AnnouncedFileReader, AnnouncedFileWriter } from '../../ports/announced-files.ts'
import { prepared, preparedChange } from './prepared.ts'
import type { Tables } from './schema/tables.ts'

/** Rows of one statement: each has three of 32,766 values. */
const batchSize = 1000

export function announcedFileReader(db: Kysely<Tables>): AnnouncedFileReader {
  const keys = prepared(db, (deposit: string) =>
    db.selectFrom('announced_files').select('key').where('deposit_id', '=', deposit).orderBy('key'),
  )
  return {
    list: async (deposit) => (await keys(deposit)).map(({ key }) => key as FileKey),
  }
}

export function announcedFileWriter(db: Kysely<Tables>): AnnouncedFileWriter {
  const without = (deposit: string, key: string) =>
    db.deleteFrom('announced_files').where('deposit_id', '=', deposit).where('key', '=', key)
  const remove = preparedChange(db, without)
  const forget = preparedChange(db, without, { isBlind: true })
  return {
    ...announcedFileReader(db),
    add: async (deposit, keys, at) => {
      for (let from = 0; from < keys.length; from += batchSize) {
        const some = keys.slice(from, from + batchSize)
        const rows = some.map((key) => ({ deposit_id: deposit, key, at }))
        await db.insertInto('announced_files').values(rows).execute()
      }
    },
    remove: async (deposit, key) => (await remove(deposit, key)) > 0n,
    // Each file that is put asks for it.
    forget: async (deposit, key) => void (await forget(deposit, key)),
  }
}
