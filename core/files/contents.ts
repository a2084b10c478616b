import { createHash } from 'node:crypto'
import type { DepositFile } from './file.ts'

/**
 * One digest of what is in files, by which the same set is known again whatever its names and its
 * order: SHA-256, 64 hexadecimal digits. Undefined without files.
 */
export function digestContents(files: readonly DepositFile[]): string | undefined {
  if (files.length === 0) return undefined
  const hash = createHash('sha256')
  for (const digest of files.map(({ latest }) => latest.blob.sha256).toSorted()) hash.update(digest)
  return hash.digest('hex')
}
