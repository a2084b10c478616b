import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import type { BlobStore, StoredBlob, StrangeFile } from '../../core/ports/blob-store.ts'

const KiB = 1024
const MiB = 1024 * KiB
export const anyDate: unknown = expect.any(Date)

/** Stores may keep small blobs in another way than large ones. */
export const smallAndLarge = [100, 3 * MiB]

export function digestOf(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest('hex')
}

/** `bytes` in chunks as a socket would give them. */
export function streamOf(bytes: Buffer, chunkSize = 64 * KiB): Readable {
  return Readable.from(chunksOf(bytes, chunkSize), { objectMode: false })
}

export function* chunksOf(bytes: Buffer, size: number): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function everything(store: BlobStore): Promise<(StoredBlob | StrangeFile)[]> {
  const listed = []
  for await (const entry of store.list()) listed.push(entry)
  return listed
}
