import type { Kysely } from 'kysely'
import type { Blob, BlobId } from '../../files/file.ts'
import type { BlobReader } from '../../ports/database.ts'
import type { BlobRow, Tables } from './schema/tables.ts'

/** Rows read at once where all of them are walked through. */
const batchSize = 500

export function blobReader(db: Kysely<Tables>): BlobReader {
  const select = db.selectFrom('blobs').selectAll()
  return {
    find: async (id) => {
      const row = await select.where('id', '=', id).executeTakeFirst()
      return row && toBlob(row)
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
export function toBlobRow({ digests, ...blob }: Blob, owner: string | null): BlobRow {
  return { ...blob, digests: JSON.stringify(digests), checked: null, damage: null, owner }
}
