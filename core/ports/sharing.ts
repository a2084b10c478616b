import type { UserId } from '../access/caller.ts'
import type { ShareLink } from '../access/links.ts'

export interface LinkReader {
  /** @param hash SHA-256 of its secret, 64 hexadecimal digits */
  readonly findByHash: (hash: string) => Promise<ShareLink | undefined>
  /** Those of a deposit that were not revoked, oldest first. */
  readonly list: (deposit: string) => Promise<readonly ShareLink[]>
}

export interface LinkWriter extends LinkReader {
  readonly insert: (link: ShareLink) => Promise<void>
  /** False where the deposit has no such link that is not revoked. */
  readonly revoke: (deposit: string, id: string, now: string) => Promise<boolean>
}

/** Ids of accounts that do not exist yet, for people who were invited by their e-mail address. */
export interface InvitationReader {
  /** E-mail addresses of users, with an account or invited. */
  readonly emailsOf: (users: readonly UserId[]) => Promise<ReadonlyMap<UserId, string>>
}

export interface InvitationWriter extends InvitationReader {
  /**
   * The id of the account with an e-mail address, or the one that it will have.
   *
   * @param email in lower case
   */
  readonly userFor: (email: string, now: string) => Promise<UserId>
  /** The id that a new account must have: the invitation is used up. Undefined where there is none. */
  readonly take: (email: string) => Promise<UserId | undefined>
}
