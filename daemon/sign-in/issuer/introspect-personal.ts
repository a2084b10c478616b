import type { Clock, Database } from '../../../core/index.ts'
import { personalTokens } from '../identity/personal-tokens.ts'
import { networkOf } from '../../http/authenticate.ts'
import { oidcOf, type Middleware } from './middleware.ts'
import { resourceAt } from './scopes.ts'

/**
 * Tells resource servers of personal tokens too, which the provider does not know.
 *
 * @see RFC 7662 §2.2
 */
export function introspectPersonal(stores: {
  readonly database: Database
  readonly clock: Clock
}): Middleware {
  const identity = personalTokens(stores)
  return async (context, next) => {
    await next()
    const oidc = oidcOf(context)
    const token = oidc?.params?.['token']
    if (context.path !== '/oauth/introspection' || context.status !== 200) return
    if (oidc?.client?.['introspects'] !== true || typeof token !== 'string') return
    const found = await identity.identify(token, networkOf(context.ip))
    // No scope can express a token for one deposit.
    if (!found || found.onlyDeposit !== undefined) return
    context.body = {
      active: true,
      sub: found.user,
      iss: oidc.issuer,
      aud: resourceAt(oidc.issuer),
      token_type: 'Bearer',
      ...(found.scopes.size > 0 && { scope: [...found.scopes].join(' ') }),
      ...(found.expires !== undefined && { exp: Math.floor(Date.parse(found.expires) / 1000) }),
    }
  }
}
