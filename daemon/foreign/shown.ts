import { createHash } from 'node:crypto'
import type { DepositFile, Md5Sums } from '../../core/index.ts'

/** Files of a deposition or record in a list: its own address has them all. */
export const mostListed = 100

/** Whether something is answered alone, or as one of a list: then no file is read for its sum. */
export type Shown = 'alone' | 'listed'

/**
 * MD5 of files in their order. Of something shown alone, those that were never computed are computed;
 * undefined for a damaged file, and in lists for one whose sum is not known.
 */
export async function sumsOf(
  { md5 }: { readonly md5: Md5Sums },
  listed: readonly DepositFile[],
  shown: Shown = 'alone',
): Promise<readonly (string | undefined)[]> {
  const versions = listed.map(({ latest }) => latest)
  return shown === 'listed' ? versions.map(md5.known) : md5.ofAll(versions)
}

/** The clocks of Invenio tell microseconds. @param time ISO 8601, UTC */
export function toTime(time: string): string {
  return time.replace(/(?:\.(\d+))?Z$/, (_, fraction = '') => {
    return `.${String(fraction).padEnd(6, '0').slice(0, 6)}+00:00`
  })
}

/** Invenio names users by integers: always the same one for a user. */
export function toOwner(user: string): number {
  return createHash('sha256').update(user).digest().readUInt32BE(0) >>> 1
}
