import type { Brand } from '../base/brand.ts'
import type { Scope } from '../contract/scopes.ts'

/** Opaque identifier of a user: what `_deposit.owners` and tokens hold, never an e-mail address. */
export type UserId = Brand<string, 'UserId'>

export function parseUserId(text: string): UserId {
  return text as UserId
}

/** A caller with an account. The core knows callers, never tokens. */
export interface User {
  readonly user: UserId
  readonly scopes: ReadonlySet<Scope>
  /** Has the permission `deposit-admin-access`. */
  readonly admin: boolean
  /** Set where the token is good for one deposit alone. */
  readonly onlyDeposit?: string
  /** Set for the holder of a link, who has no account; the deposit is in `onlyDeposit`. */
  readonly link?: HeldLink
}

/** The roles that the holder of a link can have. */
export type LinkRole = 'reader' | 'editor'

/** The rights of a link's holder. */
export interface HeldLink {
  readonly role: LinkRole
  /** Hides who made the deposit. */
  readonly anonymous: boolean
}

/** A signed-in user, a visitor without a token, or the service itself outside of a request. */
export type Caller = User | 'anonymous' | 'system'

/** A person or machine that may own deposits. */
export interface Account {
  readonly id: UserId
  readonly email: string
  /** The person's name, if they or the operator gave one. */
  readonly name?: string
  /** Has the permission `deposit-admin-access`. */
  readonly admin: boolean
  readonly disabled: boolean
  readonly created: string
  /** Most bytes of files, metadata, revisions and kept answers; absent where that of all users holds. */
  readonly quota?: number
  /** A claim of their issuer made them an administrator when they were last seen. */
  readonly claimedAdmin?: boolean
  /** The person's identity at an external issuer; absent if they sign in here. */
  readonly subject?: ExternalSubject
}

/** A person as an external issuer knows them. @see OpenID Connect Core §2, `iss` and `sub` */
export interface ExternalSubject {
  readonly issuer: string
  readonly name: string
}

/** An access token as it is stored: by the SHA-256 of its value, never the value. */
export interface TokenGrant {
  readonly id: string
  /** SHA-256 of the token, 64 hexadecimal digits. */
  readonly hash: string
  readonly user: UserId
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Set where the token is good for one deposit alone. */
  readonly deposit?: string
  readonly created: string
  /** Absent where the token does not expire. */
  readonly expires?: string
  /** Id of the token that it was made with, and ends with. */
  readonly parent?: string
}
