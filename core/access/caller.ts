import type { Brand } from '../base/brand.ts'
import type { Scope } from '../contract/scopes.ts'

/** Opaque identifier of a user: what `_deposit.owners` and tokens hold, never an e-mail address. */
export type UserId = Brand<string, 'UserId'>

export function parseUserId(text: string): UserId {
  return text as UserId
}

/** Who asks. The core knows a caller, never a token. */
export interface User {
  readonly user: UserId
  readonly scopes: ReadonlySet<Scope>
  /** Has the permission `deposit-admin-access`. */
  readonly admin: boolean
  /** Set where the token is good for one deposit alone. */
  readonly onlyDeposit?: string
}

/** A signed-in user, a visitor without a token, or the service itself outside of a request. */
export type Caller = User | 'anonymous' | 'system'
