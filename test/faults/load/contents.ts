import { createHash } from 'node:crypto'
import type { Random } from '../random.ts'

const smallest = 10
const largest = 1_500_000

/** Bytes of which every upload takes its own slice, with almost no two at the same offset. */
const pool = createHash('shake256', { outputLength: 3 * largest })
  .update('deposit')
  .digest()

export interface Content {
  readonly bytes: Buffer<ArrayBuffer>
  readonly sha256: string
}

/** From 10 bytes to 1.5 MB, evenly distributed over the orders of magnitude. */
export function randomContent(random: Random): Content {
  return contentOf(random, Math.round(smallest * (largest / smallest) ** random.fraction()))
}

/** @param size bytes */
export function contentOf(random: Random, size: number): Content {
  const length = Math.min(size, largest)
  const start = random.between(0, pool.length - length)
  const bytes = Buffer.alloc(size, pool.subarray(start, start + length))
  return { bytes, sha256: sha256(bytes) }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
