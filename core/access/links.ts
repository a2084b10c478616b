import type { LinkRole, UserId } from './caller.ts'

/** A link that gives its holder a role on one deposit, as it is stored: without its secret. */
export interface ShareLink {
  readonly id: string
  readonly deposit: string
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  readonly hash: string
  readonly role: LinkRole
  /** For whom it is, in the words of the one who made it. */
  readonly label: string
  /** Hides who made the deposit. */
  readonly anonymous: boolean
  readonly createdBy: UserId
  /** ISO 8601, UTC, as all times here. */
  readonly created: string
  readonly expires: string
  readonly revoked?: string
}

/** Whether a link can be used now. */
export function isGood({ expires, revoked }: ShareLink, now: string): boolean {
  return revoked === undefined && expires > now
}
