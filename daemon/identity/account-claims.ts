import type { Account } from '../../core/index.ts'

/** What a program may be told of a person. @see OpenID Connect Core §5.1 */
export interface AccountClaims {
  readonly [name: string]: string | undefined
  /** Opaque, and the same for every program: what owners of deposits are named by. */
  readonly sub: string
  readonly email: string
  readonly name?: string
}

export function claimsOf({ id, email, name }: Account): AccountClaims {
  return { sub: id, email, ...(name !== undefined && { name }) }
}
