import { randomBytes } from 'node:crypto'
import { chmod, truncate } from 'node:fs/promises'
import { basename } from 'node:path'
import Sqlite from 'better-sqlite3'
import { homeAt } from '../../daemon/home/home.ts'
import { blobsIn } from '../support/stored-blobs.ts'
import { Client } from './client.ts'
import { startDaemon, type Draft } from './daemon.ts'
import type { Home } from './home.ts'

const MiB = 2 ** 20

/** A published deposit with a small and a huge file; addresses are paths, for any daemon of the home. */
interface SparseRecord {
  readonly package: string
  /** A file of 1 MiB. */
  readonly file: string
}

/**
 * Publishes a file of `size` bytes that are a hole on the disk: sending so many takes long. Its row is
 * changed below the service, whose daemon does not run before and afterwards.
 */
export async function publishSparse(home: Home, size: number): Promise<SparseRecord> {
  const { record, bucket } = await publishTwo(home)
  const database = new Sqlite(homeAt(home.path).database)
  const id = database
    .prepare<[number, number], string>('UPDATE blobs SET size = ? WHERE size = ? RETURNING id')
    .pluck()
    .get(size, 2 * MiB)
  database.close()
  const path = (await blobsIn(home.path)).find((blob) => basename(blob) === id) ?? ''
  await chmod(path, 0o600)
  await truncate(path, size)
  return { package: `${pathOf(record)}/packages/zip`, file: `${pathOf(bucket)}/small` }
}

async function publishTwo(home: Home): Promise<Readonly<Record<'record' | 'bucket', string>>> {
  await using daemon = await startDaemon(home)
  using client = new Client(daemon.token)
  const { links } = await daemon.draft()
  await client.put(`${links.bucket}/small`, randomBytes(MiB))
  await client.put(`${links.bucket}/huge`, randomBytes(2 * MiB))
  await client.time(links.publish, 'POST')
  const published = (await client.json(links.self)) as Draft & { links: { record: string } }
  return { record: published.links.record, bucket: links.bucket }
}

function pathOf(url: string): string {
  return new URL(url).pathname
}
