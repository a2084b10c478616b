import { sql, type Kysely, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import { rowBytes, type Blob, type BlobId, type BucketId, type FileKey } from '../../files/file.ts'
import type { BlobReader } from '../../ports/files.ts'
import type { Tables } from './schema/tables.ts'
import type { UsageRow } from './schema/account-tables.ts'
import type { BlobRow, UploadRow } from './schema/file-tables.ts'
import type { UsageReader, UsageWriter, UploadReader, UploadWriter } from '../../ports/uploads.ts'
import { prepared, preparedInsert } from './prepared.ts'
import { firstSlotOfAnswers } from './schema/0043-usage-of-answers.ts'
import { parseUserId, type UserId } from '../../access/caller.ts'
import type { Upload } from '../../files/upload.ts'
import type { DepositId } from '../../pid/deposit-pid.ts'

/** Rows read at once where all of them are walked through. */
const batchSize = 500

export function blobReader(db: Kysely<Tables>): BlobReader {
  const select = db.selectFrom('blobs').selectAll()
  return {
    find: async (id) => {
      const row = await select.where('id', '=', id).executeTakeFirst()
      return row && toBlob(row)
    },
    crc32s: async (ids) => {
      const found = new Map<BlobId, number>()
      for (let start = 0; start < ids.length; start += batchSize) {
        const rows = await db
          .selectFrom('blobs')
          .select(['id', 'crc32'])
          .where('id', 'in', ids.slice(start, start + batchSize))
          .where('crc32', 'is not', null)
          .execute()
        for (const { id, crc32 } of rows) found.set(id as BlobId, Number(crc32))
      }
      return found
    },
    newest: async (most, { largerThan = -1, atMost = Infinity, since = '' } = {}) => {
      const all = db
        .selectFrom('files')
        .innerJoin('blobs', 'blobs.id', 'files.blob_id')
        .select('blobs.id')
        .where('blobs.damage', 'is', null)
        .where('blobs.size', '>', largerThan)
        .where('files.created', '>', since)
      const small = atMost === Infinity ? all : all.where('blobs.size', '<=', atMost)
      const rows = await small.orderBy('files.created', 'desc').limit(most).execute()
      return rows.map(({ id }) => id as BlobId)
    },
    each: async function* () {
      let last = ''
      for (;;) {
        const rows = await select.where('id', '>', last).orderBy('id').limit(batchSize).execute()
        for (const row of rows) yield toBlob(row)
        const end = rows.at(-1)
        if (!end || rows.length < batchSize) return
        last = end.id
      }
    },
  }
}

export function toBlob(row: Pick<BlobRow, 'id' | 'size' | 'sha256' | 'digests'>): Blob {
  return {
    id: row.id as BlobId,
    size: Number(row.size),
    sha256: row.sha256,
    digests: JSON.parse(row.digests) as Record<string, string>,
  }
}

/** @param owner whose usage the bytes are */
function toBlobRow({ digests, ...blob }: Blob, owner: string | null): BlobRow {
  return {
    ...blob,
    digests: JSON.stringify(digests),
    checked: null,
    damage: null,
    owner,
    crc32: null,
  }
}

const isLong = `octet_length(metadata) > ${rowBytes}`

/** Bytes that unfinished uploads have announced: each counts as the file that it becomes. */
export const announcedBytes = `sum(size + octet_length(key) +
  case when ${isLong} then octet_length(metadata) else ${rowBytes} end)`

export function usageReader(db: Kysely<Tables>): UsageReader {
  const announced = sql.raw<number | null>(announcedBytes)
  const bytes = prepared(db, (owner: string, same: string) =>
    db
      .selectFrom('usage')
      .select('byte_count as size')
      .where('owner', '=', owner)
      .unionAll(
        db
          .selectFrom('uploads')
          .select((row) => row.fn.coalesce(announced, row.lit(0)).as('size'))
          .where('owner', '=', same)
          .where('finished', 'is', null),
      ),
  )
  const metadata = prepared(db, (owner: string) =>
    db
      .selectFrom('metadata_usage')
      .select((expression) => expression.fn.sum<number | null>('byte_count').as('size'))
      .where('owner', '=', owner),
  )
  const all = prepared(
    db,
    (owner: string) =>
      db
        .selectFrom('accounts')
        .select(['id', 'email', 'quota'])
        .select((row) => [
          row
            .selectFrom('usage')
            .select('byte_count')
            .whereRef('usage.owner', '=', 'accounts.id')
            .as('stored'),
          row
            .selectFrom('uploads')
            .select(announced.as('size'))
            .whereRef('uploads.owner', '=', 'accounts.id')
            .where('finished', 'is', null)
            .as('announced'),
          row
            .selectFrom('metadata_usage')
            .select(({ fn }) => fn.sum<number | null>('byte_count').as('size'))
            .whereRef('metadata_usage.owner', '=', 'accounts.id')
            .as('metadata'),
        ])
        .where('id', '=', owner),
    'id',
    { hasOneWay: true },
  )
  const reader: Omit<UsageReader, 'holding'> = {
    breakdown: async (owner) => {
      const [usage, uploads, metadata] = await Promise.all([
        db.selectFrom('usage').select('byte_count').where('owner', '=', owner).executeTakeFirst(),
        db
          .selectFrom('uploads')
          .select(announced.as('size'))
          .where('owner', '=', owner)
          .where('finished', 'is', null)
          .executeTakeFirst(),
        db
          .selectFrom('metadata_usage')
          .select(['slot', 'byte_count'])
          .where('owner', '=', owner)
          .execute(),
      ])
      const sumOf = (isOfAnswers: boolean): number =>
        metadata
          .filter(({ slot }) => slot >= firstSlotOfAnswers === isOfAnswers)
          .reduce((sum, { byte_count: bytes }) => sum + Number(bytes), 0)
      return {
        files: Number(usage?.byte_count ?? 0),
        uploads: Number(uploads?.size ?? 0),
        metadata: sumOf(false),
        answers: sumOf(true),
      }
    },
    of: async (owner) => {
      const rows = await bytes(owner, owner)
      return rows.reduce((sum, { size }) => sum + Number(size), 0)
    },
    metadata: async (owner) => {
      const [sum] = await metadata(owner)
      return Number(sum?.size ?? 0)
    },
  }
  return {
    ...reader,
    holding: async (owner) => {
      const [row] = await all(owner)
      if (!row) return { stored: await reader.of(owner), metadata: await reader.metadata(owner) }
      const { email, quota, stored, announced, metadata: documents } = row
      return {
        stored: Number(stored ?? 0) + Number(announced ?? 0),
        metadata: Number(documents ?? 0),
        account: { email, ...(quota !== null && { quota: Number(quota) }) },
      }
    },
  }
}

/** Where one unit runs after another, what was read of a user holds until the unit ends. */
export function usageWriter(db: Kysely<Tables>): UsageWriter {
  return { ...usageReader(db), hold: async () => {}, lock: async () => false }
}

/** Inserts blobs, which count as usage of the owner of the first deposit they came to: `owner`, if known. */
type InsertBlobs = (blobs: readonly Blob[], bucket: BucketId, owner?: UserId) => Promise<void>

export function blobInserter(db: Kysely<Tables>): InsertBlobs {
  const ownerOf = prepared(db, (bucket: string) =>
    db.selectFrom('deposits').select('owner').where('bucket_id', '=', bucket),
  )
  const insert = preparedInsert(db, (row: BlobRow) => db.insertInto('blobs').values(row))
  const add = usageAdder(db)
  return async (blobs, bucket, known) => {
    const owner = known ?? (await ownerOf(bucket))[0]?.owner ?? null
    for (const blob of blobs) await insert(toBlobRow(blob, owner))
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0)
    if (owner !== null) await add({ owner, byte_count: bytes })
  }
}

/** Removes those of `ids` that nothing refers to any more; answers them. */
export async function removeUnreferenced(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<readonly BlobId[]> {
  const removed: BlobId[] = []
  const add = usageAdder(db)
  for (let start = 0; start < ids.length; start += 500) {
    const rows = await removeBatch(db, ids.slice(start, start + 500))
    const freed = Map.groupBy(rows, ({ owner }) => owner)
    for (const [owner, blobs] of freed) {
      const bytes = blobs.reduce((sum, { size }) => sum + Number(size), 0)
      if (owner !== null) await add({ owner, byte_count: -bytes })
    }
    removed.push(...rows.map(({ id }) => id as BlobId))
  }
  return removed
}

function removeBatch(db: Kysely<Tables>, ids: readonly string[]) {
  return db
    .deleteFrom('blobs')
    .where('id', 'in', ids)
    .where((row) => isUnreferenced(row, 'files'))
    .where((row) => isUnreferenced(row, 'file_versions'))
    .where((row) => isUnreferenced(row, 'trashed_files'))
    .returning(['id', 'size', 'owner'])
    .execute()
}

function isUnreferenced(
  row: ExpressionBuilder<Tables, 'blobs'>,
  table: 'files' | 'file_versions' | 'trashed_files',
): Expression<SqlBool> {
  const references = row.selectFrom(table).select(`${table}.blob_id`)
  return row.not(row.exists(references.whereRef(`${table}.blob_id`, '=', 'blobs.id')))
}

/** Adds to what an owner uses, which begins with the first file. */
export function usageAdder(db: Kysely<Tables>) {
  return preparedInsert(
    db,
    (row: UsageRow) =>
      db
        .insertInto('usage')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('owner').doUpdateSet((expression) => ({
            byte_count: expression('usage.byte_count', '+', expression.ref('excluded.byte_count')),
          })),
        ),
    { isLast: true },
  )
}

export function uploadReader(db: Kysely<Tables>): UploadReader {
  const select = db.selectFrom('uploads').selectAll()
  const unfinished = prepared(db, (deposit: string) =>
    select
      .where('deposit_id', '=', deposit)
      .where('finished', 'is', null)
      .orderBy('created')
      .orderBy('id'),
  )
  return {
    find: async (id) => {
      const row = await select.where('id', '=', id).executeTakeFirst()
      return row && toUpload(row)
    },
    unfinished: async (deposit) => (await unfinished(deposit)).map(toUpload),
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
      return row && toUpload(row)
    },
    begunBefore: async (time) => {
      const rows = await select.where('created', '<', time).orderBy('created').execute()
      return rows.map(toUpload)
    },
  }
}

export function uploadWriter(db: Kysely<Tables>): UploadWriter {
  return {
    ...uploadReader(db),
    insert: async (upload) => {
      await db.insertInto('uploads').values(toUploadRow(upload)).execute()
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
        .set({
          finished: now,
          metadata: sql`case when ${sql.raw(isLong)} then '{}' else metadata end`,
        })
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

function toUpload(row: UploadRow): Upload {
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

function toUploadRow({ id, deposit, owner, key, size, ...upload }: Upload): UploadRow {
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
