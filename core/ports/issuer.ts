import type { UserId } from '../access/caller.ts'
import type { Scope } from '../contract/scopes.ts'
import type { JsonObject } from '../base/json.ts'

/**
 * Something that the embedded issuer has to remember: a token, a code, a grant. Its name is a
 * secret, and only the hash of that is kept.
 */
export interface IssuerEntry {
  /** Its kind, in the words of the issuer: `AccessToken`, `Grant`, … */
  readonly kind: string
  /** SHA-256 of the value that its holder shows, 64 hexadecimal digits. */
  readonly hash: string
  readonly payload: JsonObject
  /** The grant it goes with: they are revoked together. */
  readonly grant?: string
  /** SHA-256 of another name it is found by: the code that a person types, the uid of a session. */
  readonly userCode?: string
  /** Seconds since 1970: when it was used up. */
  readonly consumed?: number
  /** ISO 8601, UTC. */
  readonly expires: string
}

export interface IssuerReader {
  readonly find: (kind: string, hash: string) => Promise<IssuerEntry | undefined>
  /** @param userCode SHA-256 of the code */
  readonly findByUserCode: (userCode: string) => Promise<IssuerEntry | undefined>
  /** All that is kept for a user. */
  readonly listOf: (user: UserId) => Promise<readonly IssuerEntry[]>
}

export interface IssuerWriter extends IssuerReader {
  /** Stores an entry, in the place of one with the same kind and hash. */
  readonly put: (entry: IssuerEntry) => Promise<void>
  /**
   * Marks an entry as used up.
   *
   * @param now seconds since 1970
   * @returns false where it was already, or is not there: then another request was first
   */
  readonly consume: (kind: string, hash: string, now: number) => Promise<boolean>
  readonly remove: (kind: string, hash: string) => Promise<void>
  /** Removes all that goes with a grant. */
  readonly removeGrant: (grant: string) => Promise<void>
  /** Removes all that is kept for a user, but for entries of the kind `kept`. */
  readonly removeOf: (user: UserId, kept: string) => Promise<void>
  /** Removes what expired before `now` (ISO 8601); answers how many those were. */
  readonly removeExpired: (now: string) => Promise<number>
}

/**
 * Uses of a client: deposit by itself in its owner's name (client credentials); have people sign
 * in by a browser (authorization code) or by a code that they type (device flow); ask whose any
 * token is (introspection).
 */
export const clientUses = ['deposits', 'code', 'device', 'introspection'] as const

export type ClientUse = (typeof clientUses)[number]

/** A program of others that the operator has registered. */
export interface Client {
  readonly id: string
  readonly name: string
  /** SHA-256 of the secret, 64 hexadecimal digits; absent where the program can keep none. */
  readonly secretHash?: string
  /** Whose its own deposits are; absent where it makes none. */
  readonly owner?: UserId
  /** The most it may have. */
  readonly scopes: readonly Scope[]
  readonly uses: readonly ClientUse[]
  /** Addresses that a browser may be sent back to. */
  readonly redirectUris: readonly string[]
  readonly created: string
}

export interface ClientReader {
  readonly find: (id: string) => Promise<Client | undefined>
  /** Oldest first. */
  readonly list: () => Promise<readonly Client[]>
}

export interface ClientWriter extends ClientReader {
  readonly insert: (client: Client) => Promise<void>
  /** False where there was no such client. */
  readonly remove: (id: string) => Promise<boolean>
}

/** Values that the daemons on the same rows share: keys to sign with, the id of the service. */
export interface SharedSecretReader {
  readonly find: (name: string) => Promise<string | undefined>
}

export interface SharedSecretWriter extends SharedSecretReader {
  /** @throws there is one under this name */
  readonly insert: (name: string, value: string) => Promise<void>
  /** Replaces the one under this name, if there is one. */
  readonly put: (name: string, value: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
}
