import { isForTheBytes } from '../contract/defaults.ts'
import type { DraftDeposit } from '../deposit/deposit.ts'
import { digestContents } from '../files/contents.ts'
import type { Readers } from '../ports/database.ts'

/**
 * Whether a draft of a next version has just the files that were destroyed with an earlier one: an
 * upload of the same folder, or a draft that was open before, would publish again what somebody had
 * removed for good.
 */
export async function hasDestroyedFiles(
  { deposits, files }: Pick<Readers, 'deposits' | 'files'>,
  { bucket, concept }: DraftDeposit,
): Promise<boolean> {
  const destroyed = (await deposits.withdrawnVersions(concept)).flatMap(({ withdrawal }) =>
    withdrawal && isForTheBytes(withdrawal.reason) ? (withdrawal.contents ?? []) : [],
  )
  if (destroyed.length === 0) return false
  const contents = digestContents(await files.list(bucket, 'draft'))
  return contents !== undefined && destroyed.includes(contents)
}
