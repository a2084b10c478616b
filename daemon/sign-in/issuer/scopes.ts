import { isScope, scopes, type Scope } from '../../../core/contract/scopes.ts'
import type { Account } from '../../../core/index.ts'

/** Scopes of a sign-in beside those of deposits, with words for a consent page. */
export const oidcScopes = {
  openid: undefined,
  offline_access: 'Stay signed in until you end it, for 90 days at most',
  email: 'Know your e-mail address',
  profile: 'Know your name',
} as const

export type OidcScope = keyof typeof oidcScopes

export function isOidcScope(text: string): text is OidcScope {
  return Object.hasOwn(oidcScopes, text)
}

/** Claims about a person that a program may get. @see OpenID Connect Core §5.1 */
interface AccountClaims {
  readonly [name: string]: string | undefined
  /** Opaque, and the same for every program: the id in the owners of deposits. */
  readonly sub: string
  readonly email: string
  readonly name?: string
}

export function claimsOf({ id, email, name }: Account): AccountClaims {
  return { sub: id, email, ...(name !== undefined && { name }) }
}

/** The path at which a program asks who has signed in. @see OpenID Connect Core §5.3 */
export const userinfoPath = '/oauth/userinfo'

/** The scopes of deposits that a client may have: one of the operator's may be narrow. */
export function allowedScopes(client: { readonly [name: string]: unknown }): readonly Scope[] {
  const { deposit_scopes: granted } = client
  const names = typeof granted === 'string' ? granted.split(' ') : Object.keys(scopes)
  return names.filter(isScope)
}

/** The URL of the resource that tokens are for. */
export function resourceAt(origin: string): string {
  return `${origin}/api`
}

/** Of the scopes a client asks for, those that a person may grant it; each once. */
export function grantable(
  asked: readonly string[],
  client: { readonly [name: string]: unknown },
): readonly string[] {
  const allowed = new Set<string>([...Object.keys(oidcScopes), ...allowedScopes(client)])
  return [...new Set(asked)].filter((scope) => allowed.has(scope))
}
