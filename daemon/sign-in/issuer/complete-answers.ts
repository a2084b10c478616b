import type { KoaContextWithOIDC } from 'oidc-provider'
import { scopes } from '../../../core/contract/scopes.ts'
import { oidcOf, type Middleware } from './middleware.ts'
import { oidcScopes } from './scopes.ts'

/** Field of a token for the scopes of its sign-in, which the provider drops from a token for us. */
const kept = 'sign_in_scope'

/**
 * Completes what the provider says of scopes: discovery names those of deposits too, and a token
 * is said to have all that were granted with it, those of the sign-in included. A token without any
 * has no `scope`, since none may be empty.
 *
 * @see RFC 6749 §3.3 and §5.1, RFC 7662 §2.2, RFC 8414 §2
 */
export function completeAnswers(): Middleware {
  return async (context, next) => {
    await next()
    const body: unknown = context.body
    if (typeof body !== 'object' || body === null) return
    if (context.path.startsWith('/.well-known/')) {
      context.body = {
        ...body,
        scopes_supported: [...Object.keys(oidcScopes), ...Object.keys(scopes)],
      }
    } else if ('access_token' in body) {
      const token = oidcOf(context)?.entities.AccessToken
      const isLasting = 'refresh_token' in body
      const granted = [...signInScopesIn(token?.extra)].filter(
        (scope) => isLasting || scope !== 'offline_access',
      )
      context.body = withScope(body, granted.join(' '))
    } else if (kept in body) {
      context.body = withScope(body, body[kept])
    }
  }
}

function withScope(body: object, signIn: unknown): object {
  const { [kept]: _, scope, ...rest } = body as Readonly<Record<string, unknown>>
  const all = [signIn, scope].filter((text) => typeof text === 'string' && text !== '')
  return all.length === 0 ? rest : { ...rest, scope: all.join(' ') }
}

/** The scopes of the sign-in that a token was given with. @param extra what is stored of it */
export function signInScopesIn(extra: unknown): ReadonlySet<string> {
  const scope = typeof extra === 'object' && extra !== null && kept in extra ? extra[kept] : ''
  return new Set(typeof scope === 'string' ? scope.split(' ') : [])
}

/** The scopes of its sign-in that an access token keeps: those granted that are not of deposits. */
export function keepSignInScope({
  oidc: { entities, params },
}: KoaContextWithOIDC): Readonly<Record<string, string>> | undefined {
  const { Grant: grant, DeviceCode, AuthorizationCode, RefreshToken } = entities
  const source = DeviceCode ?? AuthorizationCode ?? RefreshToken
  const asked =
    RefreshToken && typeof params?.['scope'] === 'string' ? params['scope'] : source?.scope
  if (!grant || asked === undefined) return undefined
  return { [kept]: grant.getOIDCScopeFiltered(new Set(asked.split(' '))) }
}
