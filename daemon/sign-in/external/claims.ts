import { isScope, type Role, type Scope } from '../../../core/index.ts'
import type { ExternalIssuerSettings } from '../../config/issuer-settings.ts'

/** Claims of a valid token, signed or from introspection. */
export type Claims = Readonly<Record<string, unknown>>

/** The scopes of deposits among those of the token. @see RFC 8693 §4.2 (`scope`); `scp` elsewhere */
export function scopesOf({ scope, scp }: Claims): ReadonlySet<Scope> {
  const names = typeof scope === 'string' ? scope.split(' ') : listOf(scp)
  return new Set(names.filter(isScope))
}

/** A claim that names something; undefined where it does not. */
export function nameIn(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined
}

/** True where the token was made for `audience`. */
export function isFor({ aud }: Claims, audience: string): boolean {
  return listOf(aud).includes(audience)
}

/** The roles that claims give. */
export function rolesIn(
  claims: Claims,
  wanted: ExternalIssuerSettings['roleClaims'],
): ReadonlySet<Role> {
  const met = wanted.filter(({ name, value }) => listOf(claims[name]).includes(value))
  return new Set(met.map(({ role }) => role))
}

/** The groups that a token says its user is in. */
export function groupsOf({ groups }: Claims): readonly string[] {
  return listOf(groups)
}

/** A claim that has one value or several, as texts. */
function listOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return values.flatMap((value) => (typeof value === 'string' ? [value] : []))
}
