import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { blobsIn, filesIn } from './stored-blobs.ts'
import { hasS3, s3Credentials, startS3, storeAt, type S3Server } from './s3.ts'

/** Address of the server that the whole run uses, if it runs on S3. */
const endpointVariable = 'TEST_S3_ENDPOINT'

let server: S3Server | undefined

/**
 * Starts an S3 server for the whole run if `TEST_STORAGE=s3` asks for it. Then
 * {@link storageOf} gives every daemon its own store there.
 */
export async function setup(): Promise<void> {
  if (process.env['TEST_STORAGE'] !== 's3' || !hasS3()) return
  server = await startS3()
  Object.assign(process.env, s3Credentials, { [endpointVariable]: server.endpoint })
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
}

/** True if the bytes of this run are not in the home; reports it loudly. */
export function bytesLieElsewhere(): boolean {
  if (process.env[endpointVariable] === undefined) return false
  process.stderr.write('\nSKIPPED: what is done to the folder of bytes, for they are in S3\n')
  return true
}

/** The store of bytes of one daemon, for tests that look into it directly. */
export interface TestStorage {
  /** Environment that configures the daemon. */
  readonly env: Readonly<Record<string, string>>
  /** Names of the bytes that are stored or being stored. */
  readonly bytes: () => Promise<readonly string[]>
  /** Names of the uploads that have bytes. */
  readonly uploads: () => Promise<readonly string[]>
  /** Whether bytes are being stored, if the store shows it. */
  readonly isReceiving: () => Promise<boolean | undefined>
}

/** The store of a daemon whose home is `home`: its folder, or a part of the S3 of the run. */
export function storageOf(home: string): TestStorage {
  const endpoint = process.env[endpointVariable]
  return endpoint === undefined ? folderOf(home) : bucketOf(endpoint, home)
}

function folderOf(home: string): TestStorage {
  const bytes = async (): Promise<readonly string[]> => {
    const others = await Promise.all(['tmp', 'quarantine'].map((name) => filesIn(join(home, name))))
    return [...(await blobsIn(home)), ...others.flat()]
  }
  return {
    env: {},
    bytes,
    uploads: () => readdir(join(home, 'uploads')),
    isReceiving: async () => (await bytes()).some((path) => path.endsWith('.part')),
  }
}

function bucketOf(endpoint: string, home: string): TestStorage {
  const name = createHash('sha256').update(home).digest('hex').slice(0, 40)
  const url = storeAt(endpoint, name)
  const list = async (...folders: readonly string[]): Promise<readonly string[]> => {
    const found = await Promise.all(
      folders.map((folder) => keysBelow(endpoint, new URL(url).hostname, `${name}/${folder}/`)),
    )
    return found.flat()
  }
  return {
    env: { DEPOSIT_STORAGE_URL: url },
    bytes: () => list('blobs', 'quarantine'),
    uploads: async () => {
      const ids = (await list('uploads')).map((key) => key.split('/')[2] ?? '')
      return [...new Set(ids)].sort()
    },
    isReceiving: async () => undefined,
  }
}

async function keysBelow(
  endpoint: string,
  bucket: string,
  prefix: string,
): Promise<readonly string[]> {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
  const keys: string[] = []
  let ContinuationToken: string | undefined
  do {
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken })
    const page = await client.send(command)
    keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key))
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
  client.destroy()
  return keys
}
