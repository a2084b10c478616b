import { parseDuration } from '../../../core/base/amounts.ts'
import { isPlain, quoted } from '../../../core/base/plain.ts'
import { noSuchScope, parseScopes, usualTokenLifetime } from '../../../core/contract/scopes.ts'
import type { TokenRequest } from '../../../core/contract/token-schemas.ts'
import { problem, wrongField, type Scope } from '../../../core/index.ts'
import type { Identified } from '../../http/identity.ts'
import type { NewToken } from './personal-tokens.ts'

/**
 * A token as `caller` may make it: no wider than the one they come with, and, unless a person has
 * just signed in with it, not for longer either. A personal token ends with the one it is made with.
 *
 * @param now ISO 8601, UTC
 * @throws {DepositError} malformed_request: its name would garble the terminal of those who read it
 * @throws {DepositError} insufficient_scope: it asks for more than the caller's token allows
 */
export function withinOwnRights(
  { scopes: own, expires, token }: Identified,
  { scope, name = 'token', deposit, expires_in: seconds }: TokenRequest,
  now: string,
): Omit<NewToken, 'user'> {
  if (!isPlain(name)) {
    throw wrongField(
      'malformed_request',
      'name',
      `The name ${quoted(name)} has control characters, or some that change the direction of text.`,
    )
  }
  const scopes = requireScopes(scope)
  const missing = scopes.find((wanted) => !own.has(wanted))
  if (missing) throw problem('insufficient_scope', { scope: missing })
  const asked = lifetimeOf(seconds)
  const left = expires === undefined ? Infinity : Date.parse(expires) - Date.parse(now)
  const lifetimeMs = token.isSignIn ? asked : Math.min(asked, left)
  return {
    name,
    scopes,
    ...(deposit !== undefined && { deposit }),
    ...(lifetimeMs !== Infinity && { lifetimeMs }),
    ...(token.id !== undefined && { parent: token.id }),
  }
}

/** Milliseconds; a token lasts for ever only where that was asked for. */
function lifetimeOf(seconds: number | null | undefined): number {
  if (seconds === null) return Infinity
  return seconds === undefined ? (parseDuration(usualTokenLifetime) ?? 0) : seconds * 1000
}

/** @throws {DepositError} malformed_request: there is no such scope */
function requireScopes(text: string): readonly Scope[] {
  const parsed = parseScopes(text)
  if ('scopes' in parsed) return parsed.scopes
  throw wrongField('malformed_request', 'scope', noSuchScope(parsed.unknown))
}
