import type { Client } from 'pg'
import type { DepositRow } from '../../../core/adapters/database/schema/deposit-tables.ts'
import { defaults } from '../../../core/contract/defaults.ts'
import { filesEach } from './rows.ts'

/** An id that looks as random as others, and is the same for every use. */
const idOf = (what: string): string => `md5('${what}' || bucket || n)::uuid::text`

/** Bytes of file number `n`. */
const size = '1000 + n'

/** All files of the buckets in the parameter. */
const each = `FROM unnest($1::text[], $2::text[], $3::text[]) AS deposit (bucket, owner, made)
  CROSS JOIN generate_series(0, ${filesEach - 1}) AS n`

/**
 * Gives each deposit its files. They have no bytes, and the service does not try to read them: the
 * rows say that each blob was verified a moment ago.
 */
export async function insertFiles(client: Client, deposits: readonly DepositRow[]): Promise<void> {
  const values = [
    deposits.map(({ bucket_id: bucket }) => bucket),
    deposits.map(({ owner }) => owner),
    deposits.map(({ created }) => created),
  ]
  await client.query(
    `INSERT INTO blobs (id, size, sha256, digests, checked, damage, owner)
     SELECT ${idOf('blob')}, ${size}, encode(sha256(convert_to(bucket || n, 'UTF8')), 'hex'), '{}',
       $4, NULL, owner ${each}`,
    [...values, new Date().toISOString()],
  )
  await client.query(
    `INSERT INTO files (id, bucket_id, key, position, published_position, version_id, blob_id,
       storage_class, created)
     SELECT ${idOf('file')}, bucket, 'part-' || n || '.csv', n, NULL, ${idOf('version')},
       ${idOf('blob')}, $4, made ${each}`,
    [...values, defaults.DEPOSIT_DEFAULT_STORAGE_CLASS],
  )
  await client.query(
    `INSERT INTO buckets (id, file_count, byte_count)
     SELECT bucket, count(*), sum(${size}) ${each} GROUP BY bucket`,
    values,
  )
}
