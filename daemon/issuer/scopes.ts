import { scopes } from '../../core/contract/scopes.ts'

/** What every token may have beside the scopes of deposits: who its user is, and a refresh token. */
export const oidcScopes = ['openid', 'offline_access'] as const

/** The scopes of deposits, as a token request names them. */
export const depositScopes = Object.keys(scopes).join(' ')

/** Where the resource that tokens are for lies below an origin. */
export function resourceAt(origin: string): string {
  return `${origin}/api`
}
