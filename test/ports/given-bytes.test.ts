import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFolderBlobStore } from '../../core/adapters/blobs/folder-blob-store.ts'
import { newBlobId } from '../../core/files/file.ts'
import type { BlobStore } from '../../core/ports/blob-store.ts'

/** Several batches of the store, in pieces as they come from a socket. */
const pieces = 40
const pieceSize = 64 * 1024
const limit = pieces * pieceSize

let root: string
let store: BlobStore

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'deposit-blobs-'))
  store = await openFolderBlobStore(root)
})

afterEach(async () => {
  await store[Symbol.asyncDispose]()
  await rm(root, { recursive: true })
})

/** Pieces with memory of their own, or those of `shared`. */
function makePieces(shared?: Buffer): readonly Buffer[] {
  if (shared)
    return Array.from({ length: pieces }, (_, i) =>
      shared.subarray(i * pieceSize, (i + 1) * pieceSize),
    )
  return Array.from({ length: pieces }, () => randomBytes(pieceSize))
}

function sha256(bytes: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const piece of bytes) hash.update(piece)
  return hash.digest('hex')
}

function isFreed({ buffer: memory }: Buffer): boolean {
  return memory instanceof ArrayBuffer && memory.detached
}

describe('folder blob store: the memory of bytes', () => {
  it('is freed while more bytes are stored, when the caller has given it away', async () => {
    const bytes = makePieces()
    const expected = sha256(bytes)
    const blob = await store.write(newBlobId(), Readable.from(bytes), { limit, isGivenAway: true })
    expect(blob.sha256).toBe(expected)
    expect(sha256([await buffer(await store.read(blob.id))])).toBe(expected)
    expect(bytes.filter(isFreed).length).toBeGreaterThan(pieces / 2)
  })

  it('is freed in the same way when bytes are appended to an upload', async () => {
    const bytes = makePieces()
    const expected = sha256(bytes)
    const id = newBlobId()
    const options = { offset: 0, limit, isGivenAway: true } as const
    expect(await store.uploads.append(id, Readable.from(bytes), options)).toBe(limit)
    expect(await store.uploads.finish(id, [])).toMatchObject({ sha256: expected })
    expect(bytes.filter(isFreed).length).toBeGreaterThan(pieces / 2)
  })

  it('is kept when the caller has not given it away', async () => {
    const bytes = makePieces()
    await store.write(newBlobId(), Readable.from(bytes), { limit })
    expect(bytes.filter(isFreed)).toEqual([])
  })

  it('is kept when others may read the rest of it', async () => {
    const shared = randomBytes(limit)
    const expected = sha256([shared])
    const bytes = Readable.from(makePieces(shared))
    const blob = await store.write(newBlobId(), bytes, { limit, isGivenAway: true })
    expect(blob.sha256).toBe(expected)
    expect(sha256([shared])).toBe(expected)
  })
})
