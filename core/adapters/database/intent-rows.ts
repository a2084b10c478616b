import type { Kysely } from 'kysely'
import type { BlobId } from '../../files/file.ts'
import type { IntentReader, IntentWriter } from '../../ports/uploads.ts'
import type { Tables } from './schema/tables.ts'

export function intentReader(db: Kysely<Tables>): IntentReader {
  return {
    find: async (id) => {
      const row = await db
        .selectFrom('intents')
        .select('renewed')
        .where('blob_id', '=', id)
        .executeTakeFirst()
      return row?.renewed
    },
    before: async (time, limit) => {
      const rows = await db
        .selectFrom('intents')
        .select('blob_id')
        .where('renewed', '<', time)
        .orderBy('renewed')
        .limit(limit)
        .execute()
      return rows.map(({ blob_id }) => blob_id as BlobId)
    },
  }
}

export function intentWriter(db: Kysely<Tables>): IntentWriter {
  const remove = async (id: BlobId): Promise<void> => {
    await db.deleteFrom('intents').where('blob_id', '=', id).execute()
  }
  return {
    ...intentReader(db),
    remove,
    removeSettled: async (time) => {
      await db
        .deleteFrom('intents')
        .where('renewed', '<', time)
        .where((row) => {
          const blobs = row.selectFrom('blobs').select('blobs.id')
          return row.exists(blobs.whereRef('blobs.id', '=', 'intents.blob_id'))
        })
        .execute()
    },
    renew: async (id, now) => {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('intents')
        .values({ blob_id: id, renewed: now, given_up: 0 })
        .onConflict((conflict) =>
          conflict
            .column('blob_id')
            .doUpdateSet({ renewed: now })
            .where('intents.given_up', '=', 0),
        )
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows > 0n
    },
    giveUp: async (id, time) => {
      if (await hasRow(db, id)) {
        await remove(id)
        return false
      }
      const { numUpdatedRows } = await db
        .updateTable('intents')
        .set({ given_up: 1 })
        .where('blob_id', '=', id)
        .where('renewed', '<', time)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
  }
}

async function hasRow(db: Kysely<Tables>, id: BlobId): Promise<boolean> {
  const blob = await db.selectFrom('blobs').select('id').where('id', '=', id).executeTakeFirst()
  if (blob) return true
  const upload = await db
    .selectFrom('uploads')
    .select('id')
    .where('id', '=', id)
    .where('finished', 'is', null)
    .executeTakeFirst()
  return upload !== undefined
}
