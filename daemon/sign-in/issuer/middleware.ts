import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

/** A step around the provider's own work. */
export type Middleware = Parameters<Provider['use']>[0]

type Oidc = KoaContextWithOIDC['oidc']

/** All that the provider knows of a request; undefined where no route of its own took it. */
export function oidcOf(context: object): Oidc | undefined {
  return isOfProvider(context) ? context.oidc : undefined
}

function isOfProvider(context: object): context is { readonly oidc: Oidc } {
  return 'oidc' in context
}

/** Takes the session's cookie back out of each answer: it would outlive the sign-in it is for. */
export function leaveNoSession(): Middleware {
  return async (context, next) => {
    await next()
    const oidc = oidcOf(context)
    const cookies = [context.response.headers['set-cookie'] ?? []].flat()
    if (oidc === undefined || cookies.length === 0) return
    const session = new RegExp(`^${oidc.provider.cookieName('session')}(\\.sig)?=`)
    const others = cookies.filter((cookie) => !session.test(cookie))
    context.remove('set-cookie')
    if (others.length > 0) context.set('set-cookie', others)
  }
}
