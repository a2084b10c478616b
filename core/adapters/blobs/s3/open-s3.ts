import type { BlobStore } from '../../../ports/blob-store.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Database } from '../../../ports/database.ts'
import { StorageHealth, Room } from '../../storage-health.ts'
import { describeLacks, probe } from './abilities.ts'
import { Intents } from './intents.ts'
import { openBucket } from './open-bucket.ts'
import { S3BlobStore } from './s3-blob-store.ts'

/** Dependencies of a store in a bucket. */
export interface S3Surroundings {
  /** A folder on the disk where rows may lie. */
  readonly home: string
  /** Holds the intents of blobs about to be written. */
  readonly database: Pick<Database, 'write'>
  readonly clock: Clock
  /** Told what an operator should know. */
  readonly notice: (text: string) => void
}

/**
 * Opens the store of bytes at `url` (`s3://…`), and says what it does not honour.
 *
 * @throws {FilesUnfit} there is no such bucket, or it is not for us
 * @throws {DepositError} storage_unavailable: it does not answer
 */
export async function openS3(
  url: string,
  { home, database, clock, notice }: S3Surroundings,
): Promise<BlobStore> {
  await using stack = new AsyncDisposableStack()
  const bucket = stack.use(await openBucket(url, notice))
  const abilities = await probe(bucket)
  for (const lack of describeLacks(abilities)) notice(lack)
  const store = new S3BlobStore(bucket, {
    abilities,
    intents: new Intents(database, clock),
    room: new Room(home, new StorageHealth()),
  })
  stack.move()
  return store
}
