import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

/** Takes the session's cookie back out of each answer: it would outlive the sign-in it is for. */
export function leaveNoSession(): Parameters<Provider['use']>[0] {
  return async (context, next) => {
    await next()
    const { oidc } = context as unknown as Partial<KoaContextWithOIDC>
    const cookies = [context.response.headers['set-cookie'] ?? []].flat()
    if (oidc === undefined || cookies.length === 0) return
    const session = new RegExp(`^${oidc.provider.cookieName('session')}(\\.sig)?=`)
    const others = cookies.filter((cookie) => !session.test(cookie))
    context.remove('set-cookie')
    if (others.length > 0) context.set('set-cookie', others)
  }
}
