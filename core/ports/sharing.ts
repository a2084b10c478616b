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
  /** Revokes those that a user has made. */
  readonly revokeBy: (deposit: string, user: UserId, now: string) => Promise<void>
  /** The same to all deposits, for a user who is deleted: their labels are forgotten. */
  readonly forgetMaker: (user: UserId, now: string) => Promise<void>
}

/** Somebody without an account who was given a role, or offered a deposit. */
export interface Invitation {
  /** The id that their account will have. */
  readonly user: UserId
  readonly email: string
  /** ISO 8601, UTC. */
  readonly created: string
  /** Absent where the service or its operator invited, or a user who was deleted. */
  readonly by?: UserId
}

/** Ids of accounts that do not exist yet, for people who were invited by their e-mail address. */
export interface InvitationReader {
  /** The open ones, newest first; so many at most. */
  readonly list: (limit: number) => Promise<readonly Invitation[]>
  readonly count: () => Promise<number>
  /** E-mail addresses of users, with an account or invited. */
  readonly emailsOf: (users: readonly UserId[]) => Promise<ReadonlyMap<UserId, string>>
}

export interface InvitationWriter extends InvitationReader {
  /** The id of the account with an e-mail address, or the one that it will have. @param email in lower case */
  readonly find: (email: string) => Promise<UserId | undefined>
  /**
   * Keeps an id for the account of an e-mail address that has none.
   *
   * @param email in lower case
   * @param by absent where the service or its operator invites
   */
  readonly invite: (email: string, now: string, by: UserId | undefined) => Promise<UserId>
  /**
   * Drops the invitation of somebody to whom no deposit refers any more, those that are out of sight
   * included.
   */
  readonly release: (user: UserId) => Promise<void>
  /** The id that a new account must have: the invitation is used up. Undefined where there is none. */
  readonly take: (email: string) => Promise<UserId | undefined>
}
