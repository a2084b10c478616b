import { createHash } from 'node:crypto'
import type { DraftDeposit } from '../deposit/deposit.ts'
import type { DepositFile } from '../files/file.ts'
import type { Readers } from '../ports/database.ts'

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

/**
 * Whether a draft of a next version has just the files that were destroyed with an earlier one: an
 * upload of the same folder, or a draft that was open before, would publish again what was to be gone.
 */
export async function hasDestroyedFiles(
  { deposits, files }: Pick<Readers, 'deposits' | 'files'>,
  { bucket, concept }: DraftDeposit,
): Promise<boolean> {
  const versions = await deposits.withdrawnVersions(concept)
  const destroyed = versions.flatMap(({ withdrawal }) => withdrawal?.contents ?? [])
  if (destroyed.length === 0) return false
  const contents = digestContents(await files.list(bucket, 'draft'))
  return contents !== undefined && destroyed.includes(contents)
}
