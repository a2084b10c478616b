import { createHash } from 'node:crypto'
import type { DepositFile, Md5Sums } from '../../core/index.ts'

/** MD5 of files in their order; those that were never computed are computed. */
export async function sumsOf(
  { md5 }: { readonly md5: Md5Sums },
  listed: readonly DepositFile[],
): Promise<readonly string[]> {
  const sums: string[] = []
  for (const { latest } of listed) sums.push(await md5.of(latest))
  return sums
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
