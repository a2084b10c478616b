import type { Kysely } from 'kysely'
import type { BlobUse, CheckTotals, Upkeep, UpkeepWriter } from '../../ports/upkeep.ts'
import { toBlob } from './blob-rows.ts'
import { fromRow } from './record-rows.ts'
import type { Tables } from './tables.ts'

/** What upkeep reads by queries; the rest is the business of each database. */
export function upkeepReader(db: Kysely<Tables>): Omit<Upkeep, 'inspect' | 'snapshot'> {
  return {
    dueBlobs: async (before, limit) => {
      const rows = await db
        .selectFrom('blobs')
        .selectAll()
        .where(({ or, eb }) => or([eb('checked', 'is', null), eb('checked', '<', before)]))
        .orderBy('checked')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toBlob)
    },
    checkTotals: () => checkTotals(db),
    usesOf: (blob) => usesOf(db, blob),
    unmanifested: async (limit) => {
      const rows = await db
        .selectFrom('record_revisions')
        .selectAll()
        .where('manifested', '=', 0)
        .orderBy('pid_value')
        .orderBy('revision')
        .limit(limit)
        .execute()
      return rows.map(fromRow)
    },
  }
}

export function upkeepWriter(db: Kysely<Tables>): UpkeepWriter {
  return {
    recordChecks: async (checks) => {
      for (const { id, checked, damage } of checks) {
        await db.updateTable('blobs').set({ checked, damage }).where('id', '=', id).execute()
      }
    },
    markManifested: async ({ value, revision }) => {
      await db
        .updateTable('record_revisions')
        .set({ manifested: 1 })
        .where('pid_value', '=', value)
        .where('revision', '=', revision)
        .execute()
    },
  }
}

async function checkTotals(db: Kysely<Tables>): Promise<CheckTotals> {
  const count = db.selectFrom('blobs').select(({ fn }) => fn.countAll<number>().as('count'))
  const never = await count.where('checked', 'is', null).executeTakeFirstOrThrow()
  const damaged = await count.where('damage', 'is not', null).executeTakeFirstOrThrow()
  const oldest = await db
    .selectFrom('blobs')
    .select('checked')
    .where('checked', 'is not', null)
    .orderBy('checked')
    .limit(1)
    .executeTakeFirst()
  return {
    never: Number(never.count),
    damaged: Number(damaged.count),
    ...(oldest?.checked && { oldest: oldest.checked }),
  }
}

async function usesOf(db: Kysely<Tables>, blob: string): Promise<readonly BlobUse[]> {
  const files = await db
    .selectFrom('files')
    .leftJoin('deposits', 'deposits.bucket_id', 'files.bucket_id')
    .select(['key', 'deposits.id as deposit', 'deposits.record_value as record'])
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('files.blob_id', '=', blob),
        exists(
          selectFrom('file_versions')
            .select('version_id')
            .whereRef('file_versions.file_id', '=', 'files.id')
            .where('file_versions.blob_id', '=', blob),
        ),
      ]),
    )
    .execute()
  return files.map(({ key, deposit, record }) => ({
    key,
    ...(deposit !== null && { deposit }),
    ...(record !== null && { record }),
  }))
}
