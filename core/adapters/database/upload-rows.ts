import type { Kysely } from 'kysely'
import { parseUserId } from '../../access/caller.ts'
import type { BlobId, FileKey } from '../../files/file.ts'
import type { Upload } from '../../files/upload.ts'
import type { DepositId } from '../../pid/deposit-pid.ts'
import type { UploadReader, UploadWriter } from '../../ports/uploads.ts'
import type { Tables, UploadRow } from './schema/tables.ts'

export function uploadReader(db: Kysely<Tables>): UploadReader {
  const select = db.selectFrom('uploads').selectAll()
  return {
    find: async (id) => {
      const row = await select.where('id', '=', id).executeTakeFirst()
      return row && fromRow(row)
    },
    unfinished: async (deposit) => {
      const rows = await select
        .where('deposit_id', '=', deposit)
        .where('finished', 'is', null)
        .orderBy('created')
        .orderBy('id')
        .execute()
      return rows.map(fromRow)
    },
    countUnfinished: async (deposit) => {
      const { count } = await db
        .selectFrom('uploads')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('deposit_id', '=', deposit)
        .where('finished', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    findFinal: async (deposit, parts) => {
      const row = await select
        .where('deposit_id', '=', deposit)
        .where('concat', '=', parts.join(' '))
        .executeTakeFirst()
      return row && fromRow(row)
    },
    begunBefore: async (time) => {
      const rows = await select.where('created', '<', time).orderBy('created').execute()
      return rows.map(fromRow)
    },
  }
}

export function uploadWriter(db: Kysely<Tables>): UploadWriter {
  return {
    ...uploadReader(db),
    insert: async (upload) => {
      await db.insertInto('uploads').values(toRow(upload)).execute()
    },
    resize: async (id, size, lengthDeferred) => {
      const { numUpdatedRows } = await db
        .updateTable('uploads')
        .set({ size, length_deferred: lengthDeferred ? 1 : null })
        .where('id', '=', id)
        .where('finished', 'is', null)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    finish: async (id, now) => {
      const { numUpdatedRows } = await db
        .updateTable('uploads')
        .set({ finished: now })
        .where('id', '=', id)
        .where('finished', 'is', null)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    remove: async (id) => {
      const { numDeletedRows } = await db
        .deleteFrom('uploads')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
    removeAll: async (deposit) => {
      const rows = await db
        .deleteFrom('uploads')
        .where('deposit_id', '=', deposit)
        .returning(['id', 'finished'])
        .execute()
      return rows.flatMap(({ id, finished }) => (finished === null ? [id as BlobId] : []))
    },
  }
}

function fromRow(row: UploadRow): Upload {
  return {
    id: row.id as BlobId,
    deposit: row.deposit_id as DepositId,
    owner: parseUserId(row.owner),
    key: row.key as FileKey,
    size: Number(row.size),
    ...(row.length_deferred === 1 && { lengthDeferred: true }),
    replaces: row.replaces === 1,
    ...(row.checksum === null ? {} : { checksum: row.checksum }),
    metadata: JSON.parse(row.metadata) as Upload['metadata'],
    ...(row.concat === null ? {} : { concat: toConcat(row.concat) }),
    created: row.created,
    ...(row.finished === null ? {} : { finished: row.finished }),
  }
}

function toRow({ id, deposit, owner, key, size, ...upload }: Upload): UploadRow {
  return {
    id,
    deposit_id: deposit,
    owner,
    key,
    size,
    length_deferred: upload.lengthDeferred ? 1 : null,
    replaces: upload.replaces ? 1 : 0,
    checksum: upload.checksum ?? null,
    metadata: JSON.stringify(upload.metadata),
    concat: upload.concat === undefined ? null : [upload.concat].flat().join(' '),
    created: upload.created,
    finished: upload.finished ?? null,
  }
}

function toConcat(text: string): NonNullable<Upload['concat']> {
  return text === 'partial' ? text : text.split(' ').map((id) => id as BlobId)
}
