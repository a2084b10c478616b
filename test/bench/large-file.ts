import { randomBytes } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from './bench.ts'

/** A file of `bench.largeFile` bytes that does not compress. */
export async function largeFile({ folder, largeFile: size }: Bench): Promise<string> {
  const path = join(folder, 'large.bin')
  if ((await stat(path).catch(() => undefined))?.size === size) return path
  const block = randomBytes(1024 * 1024)
  const file = await open(path, 'w')
  try {
    for (let written = 0; written < size; written += block.length) await file.write(block)
    await file.sync()
  } finally {
    await file.close()
  }
  return path
}
