import type { TokenGrant } from '../../../core/index.ts'

/** The client that our pages are at the issuer. */
export const browserProgram = 'deposit-pages'

/** The name of the token that a browser gets for a ticket. */
export const browserName = 'browser'

/** Time that a browser stays signed in by a ticket. */
export const browserMs = 3_600_000

/** Whether a token is the sign-in of a browser, which ends with the others: no user keeps it for later. */
export function isBrowserToken({ name, created, expires }: TokenGrant): boolean {
  if (name !== browserName || expires === undefined) return false
  return Date.parse(expires) - Date.parse(created) === browserMs
}
