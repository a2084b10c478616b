import type { Brand } from '../base/brand.ts'
import type { Scope } from '../contract/scopes.ts'

/** Opaque identifier of a user: what `_deposit.owners` and tokens hold, never an e-mail address. */
export type UserId = Brand<string, 'UserId'>

export function parseUserId(text: string): UserId {
  return text as UserId
}

/** Ranks of users beside ownership; what each may do is said where permissions are asked. */
export const roles = ['administrator', 'curator', 'reviewer'] as const

/**
 * - `administrator`: may do everything, with the scopes of their token.
 * - `curator`: sees what was published with its deposits, corrects records, withdraws and restores them.
 * - `reviewer`: sees what was submitted for review.
 */
export type Role = (typeof roles)[number]

/** A caller with an account. The core knows callers, never tokens. */
export interface User {
  readonly user: UserId
  readonly scopes: ReadonlySet<Scope>
  /** Has the permission `deposit-admin-access`: has the role `administrator`. */
  readonly admin: boolean
  readonly roles: ReadonlySet<Role>
  readonly email?: string
  readonly name?: string
  /** The claim `groups` of the token of an external issuer; no other token has groups. */
  readonly groups?: readonly string[]
  /** All claims of that token. */
  readonly claims?: Readonly<Record<string, unknown>>
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
  /** The user who made the link; absent where the service did. */
  readonly madeBy?: UserId
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
  /** Roles that were granted beside it; absent for none. */
  readonly roles?: readonly GrantedRole[]
  readonly disabled: boolean
  readonly created: string
  /** Most bytes of files, metadata, revisions and kept answers; absent where that of all users holds. */
  readonly quota?: number
  /** A claim of their issuer made them an administrator when they were last seen. */
  readonly claimedAdmin?: boolean
  /** Other roles that claims of their issuer gave them then; absent for none. */
  readonly claimedRoles?: readonly GrantedRole[]
  /** The person's identity at an external issuer; absent if they sign in here. */
  readonly subject?: ExternalSubject
}

/** A role that is kept as such: `admin` says whether an account has the other one. */
export type GrantedRole = Exclude<Role, 'administrator'>

/** Every role that was granted to a user here. */
export function rolesOf({
  admin,
  roles: granted = [],
}: Pick<Account, 'admin' | 'roles'>): ReadonlySet<Role> {
  return new Set([...(admin ? (['administrator'] as const) : []), ...granted])
}

export function isRole(name: string): name is Role {
  return roles.some((role) => role === name)
}

export function isGrantedRole(name: string): name is GrantedRole {
  return isRole(name) && name !== 'administrator'
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
