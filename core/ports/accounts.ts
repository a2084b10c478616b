import type { Account, ExternalSubject, TokenGrant, UserId } from '../access/caller.ts'

export interface AccountReader {
  readonly find: (id: UserId) => Promise<Account | undefined>
  readonly findByEmail: (email: string) => Promise<Account | undefined>
  readonly findBySubject: (subject: ExternalSubject) => Promise<Account | undefined>
  /** All accounts, oldest first. */
  readonly list: () => Promise<readonly Account[]>
  readonly count: () => Promise<number>
}

export interface AccountWriter extends AccountReader {
  readonly insert: (account: Account) => Promise<void>
  /** Changes what may change of an account: e-mail, name, permissions, quota, whether it is disabled. */
  readonly update: (account: Account) => Promise<void>
  /** Lets usage, uploads under way and programs of one account be another's. */
  readonly moveBelongings: (from: UserId, to: UserId) => Promise<void>
  /**
   * Lets the personal tokens of one account, its identity at an issuer, and its changes, comments
   * and links be another's.
   */
  readonly moveSignIns: (from: Account, to: Account) => Promise<void>
  /** Removes an account with all by which its user signs in, and the answers kept for it. */
  readonly remove: (id: UserId) => Promise<void>
}

/** Passphrases as they are stored: hashed, slowly and with salt. */
export interface PassphraseReader {
  /** Undefined for an account that has none, and so cannot sign in with one. */
  readonly find: (user: UserId) => Promise<string | undefined>
}

export interface PassphraseWriter extends PassphraseReader {
  readonly put: (user: UserId, hashed: string) => Promise<void>
}

export interface TokenReader {
  /**
   * A token with the account of its user.
   *
   * @param hash SHA-256 of the token, 64 hexadecimal digits
   */
  readonly findByHash: (
    hash: string,
  ) => Promise<{ readonly grant: TokenGrant; readonly account: Account } | undefined>
  /** Tokens of one user, or of all; oldest first. */
  readonly list: (user?: UserId) => Promise<readonly TokenGrant[]>
  readonly has: (id: string) => Promise<boolean>
}

export interface TokenWriter extends TokenReader {
  readonly insert: (token: TokenGrant) => Promise<void>
  /** Removes a token, those made with it, those made with these, …; returns how many. */
  readonly remove: (id: string) => Promise<number>
  /** Removes what expired before `now` (ISO 8601). */
  readonly removeExpired: (now: string) => Promise<void>
}
