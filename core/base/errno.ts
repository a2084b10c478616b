import { constants } from 'node:os'

/** Node.js has no name for this error: its code would be `Unknown system error -122`. */
const quotaReached = -constants.errno.EDQUOT

/** The code of an error of the system or of a library, such as `ENOENT`; empty without one. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('errno' in error && error.errno === quotaReached) return 'EDQUOT'
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** True for a missing file or folder. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}
