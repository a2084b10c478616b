import { sql, type Kysely } from 'kysely'
import type { BlobUse, CheckTotals, Upkeep, UpkeepWriter } from '../../ports/upkeep.ts'
import { toBlob } from './blob-rows.ts'
import { preparedChange } from './prepared.ts'
import { fromRow } from './record-rows.ts'
import { restoreRecord } from './restore-rows.ts'
import type { Tables } from './schema/tables.ts'
import type { FileRow } from './schema/file-tables.ts'
import { wholeRevisions } from './version-rows.ts'

/** The part of upkeep that is the same queries on every database. */
export function upkeepReader(db: Kysely<Tables>): Omit<Upkeep, 'inspect' | 'snapshot' | 'forget'> {
  return {
    dueBlobs: async ({ before, now }, limit) => {
      const rows = await db
        .selectFrom('blobs')
        .selectAll()
        .where((row) =>
          row.or([
            row('checked', 'is', null),
            row('checked', '<', before),
            row('checked', '>', now),
          ]),
        )
        .orderBy('checked')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toBlob)
    },
    checkTotals: () => checkTotals(db),
    damaged: () => countDamaged(db),
    usesOf: (blob) => usesOf(db, blob),
    unmanifested: async (limit) => {
      const rows = await wholeRevisions(db)
        // As a parameter it would not be seen to be what the index is about.
        .where('manifested', '=', sql.lit(0))
        .orderBy('pid_value')
        .orderBy('revision')
        .limit(limit)
        .execute()
      return rows.map(fromRow)
    },
  }
}

export function upkeepWriter(db: Kysely<Tables>): UpkeepWriter {
  const markManifested = preparedChange(db, (value: string, revision: number) =>
    db
      .updateTable('record_revisions')
      .set({ manifested: sql.lit(1) })
      .where('pid_value', '=', value)
      .where('revision', '=', revision),
  )
  return {
    recordChecks: async (checks) => {
      for (const { id, checked, damage } of checks) {
        await db.updateTable('blobs').set({ checked, damage }).where('id', '=', id).execute()
      }
    },
    recordCrc32s: async (sums) => {
      for (const [id, crc32] of sums) {
        await db.updateTable('blobs').set({ crc32 }).where('id', '=', id).execute()
      }
    },
    recordDigests: async (id, digests) => {
      const kept = { digests: JSON.stringify(digests) }
      await db.updateTable('blobs').set(kept).where('id', '=', id).execute()
    },
    markManifested: async ({ value, revision }) => {
      await markManifested(value, revision)
    },
    dropManifested: async (value, revision) => {
      const all = db.updateTable('record_revisions').set({ manifested: 0 })
      await all
        .where('pid_value', '=', value)
        .$if(revision !== undefined, (rows) => rows.where('revision', '=', revision ?? 0))
        .execute()
    },
    restoreRecord: (manifests) => restoreRecord(db, manifests),
  }
}

async function checkTotals(db: Kysely<Tables>): Promise<CheckTotals> {
  const count = db
    .selectFrom('blobs')
    .select((row) => [
      row.fn.countAll<number>().as('count'),
      row.fn.sum<number | null>('size').as('size'),
    ])
  const all = await count.executeTakeFirstOrThrow()
  const never = await count.where('checked', 'is', null).executeTakeFirstOrThrow()
  const oldest = await db
    .selectFrom('blobs')
    .select('checked')
    .where('checked', 'is not', null)
    .orderBy('checked')
    .limit(1)
    .executeTakeFirst()
  return {
    blobs: Number(all.count),
    size: Number(all.size ?? 0),
    never: Number(never.count),
    damaged: await countDamaged(db),
    ...(oldest?.checked && { oldest: oldest.checked }),
  }
}

async function countDamaged(db: Kysely<Tables>): Promise<number> {
  const { count } = await db
    .selectFrom('blobs')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('damage', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function usesOf(db: Kysely<Tables>, blob: string): Promise<readonly BlobUse[]> {
  const files = await usesIn(db, 'files', blob)
  const trashed = await usesIn(db, 'trashed_files', blob)
  return [...files, ...trashed.map((use) => ({ ...use, isDeleted: true as const }))]
}

async function usesIn(
  db: Kysely<Tables>,
  table: 'files' | 'trashed_files',
  blob: string,
): Promise<readonly BlobUse[]> {
  const versions = db.selectFrom('file_versions').select('file_id').where('blob_id', '=', blob)
  const files = await db
    .selectFrom(sql<FileRow>`${sql.table(table)}`.as('uses'))
    .leftJoin('deposits', 'deposits.bucket_id', 'uses.bucket_id')
    .select(['key', 'deposits.id as deposit', 'deposits.record_value as record'])
    .where((row) => row.or([row('uses.blob_id', '=', blob), row('uses.id', 'in', versions)]))
    .execute()
  return files.map(({ key, deposit, record }) => ({
    key,
    ...(deposit !== null && { deposit }),
    ...(record !== null && { record }),
  }))
}
