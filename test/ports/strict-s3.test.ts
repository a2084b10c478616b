import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openS3 } from '../../core/adapters/blobs/s3/open-s3.ts'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { newBlobId } from '../../core/files/file.ts'
import type { BlobStore } from '../../core/ports/blob-store.ts'
import { systemClock } from '../../core/ports/clock.ts'
import type { Database } from '../../core/ports/database.ts'
import { s3Credentials, storeAt } from '../support/s3.ts'
import { startStrictS3, type StrictS3 } from '../support/strict-s3.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { digestOf, everything, streamOf } from './blob-samples.ts'
import { blobStoreContract } from './blob-store.contract.ts'

const MiB = 1024 * 1024
const roomy = { limit: 64 * MiB }

describe('a store in an S3 that compares checksums', () => {
  let server: StrictS3
  let home: TemporaryFolder
  let database: Database
  let stores = 0

  beforeAll(async () => {
    Object.assign(process.env, s3Credentials)
    server = await startStrictS3()
    home = await temporaryFolder()
    database = await openSqliteDatabase(join(home.path, 'deposit.db'), () => {})
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const open = (notice: (text: string) => void = () => {}): Promise<BlobStore> => {
    const url = storeAt(server.endpoint, `store-${(stores += 1)}`)
    return openS3(url, { home: home.path, database, clock: systemClock, notice })
  }

  blobStoreContract('strict S3', () => open())

  it('reports nothing at its start', async () => {
    const notices: string[] = []
    await using store = await open((text) => notices.push(text))
    expect(store.health).toBe('sound')
    expect(notices).toEqual([])
  })

  it.for([10, 20 * MiB])('stores %i bytes with a checksum on the server', async (size) => {
    await using store = await open()
    const id = newBlobId()
    const bytes = randomBytes(size)
    const { sha256 } = await store.write(id, streamOf(bytes), roomy)
    expect(sha256).toBe(digestOf('sha256', bytes))
    const [checksum] = checksumsOf(id)
    expect(checksum).toMatch(size > 8 * MiB ? /-3$/ : /=$/)
  })

  it('tells the client to begin again with the length when an upload has used up its parts', async () => {
    await using store = await open()
    const id = newBlobId()
    const limit = 8 * MiB
    await store.uploads.append(id, streamOf(randomBytes(limit)), { offset: 0, limit })
    server.repeatParts(10_000)
    try {
      const { size = 0 } = (await store.uploads.find(id)) ?? {}
      expect(size).toBe(10_000 * limit)
      const next = store.uploads.append(id, streamOf(Buffer.from('x')), { offset: size, limit: 1 })
      await expect(next).rejects.toThrow(/begin it again with Upload-Length/)
    } finally {
      server.repeatParts(1)
    }
  })

  it.for([10, 20 * MiB])(
    'acknowledges nothing when the server keeps other bytes (%i)',
    async (size) => {
      await using store = await open()
      server.spoil(true)
      try {
        const write = store.write(newBlobId(), streamOf(randomBytes(size)), roomy)
        await expect(write).rejects.toMatchObject({ code: 'storage_unavailable' })
      } finally {
        server.spoil(false)
      }
      expect(await everything(store)).toEqual([])
    },
  )

  it('finishes an upload in pieces with the checksums of its parts', async () => {
    await using store = await open()
    const id = newBlobId()
    const bytes = randomBytes(20 * MiB)
    let start = 0
    for (const end of [MiB, 9 * MiB, bytes.length]) {
      const options = { offset: start, limit: bytes.length - start }
      start = await store.uploads.append(id, streamOf(bytes.subarray(start, end)), options)
    }
    expect(await store.uploads.finish(id, [])).toMatchObject({ sha256: digestOf('sha256', bytes) })
    expect((await buffer(await store.read(id))).equals(bytes)).toBe(true)
    expect(checksumsOf(id)[0]).toMatch(/-3$/)
  })

  function checksumsOf(id: string): readonly string[] {
    const found = [...server.objects].filter(([key]) => key.endsWith(id))
    return found.map(([, { checksum }]) => checksum)
  }
})
