import { Provider } from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { isSecret, matchesHash, newSecret, type SecretKind } from './identity/secret.ts'
import { completeAnswers } from './issuer/complete-answers.ts'
import { configureProvider } from './configure-provider.ts'
import type { ProviderParts } from './configure-provider.ts'
import { pagesClientId } from './issuer/first-party-clients.ts'
import { introspectPersonal } from './issuer/introspect-personal.ts'
import { leaveNoSession } from './issuer/middleware.ts'
import { paceDevices } from './issuer/pace-devices.ts'
import type { Audit } from '../http/audit.ts'

/**
 * The issuer of oidc-provider as we run it: opaque tokens that are known by their hash, refresh
 * tokens for one use, no open registration, and pages of our own.
 *
 * @see RFC 6749, RFC 7009, RFC 7636, RFC 7662, RFC 8628, RFC 8707
 */
export function createProvider(parts: ProviderParts): Provider {
  const provider = new Provider(parts.origin, configureProvider(parts))
  // The forwarded headers it sees are ours, made from those of trusted proxies.
  provider.proxy = true
  provider.use(paceDevices(parts.database))
  provider.use(leaveNoSession())
  provider.use(completeAnswers())
  provider.use(introspectPersonal(parts))
  nameTokens(provider)
  auditIssuer(provider, parts.audit)
  provider.on('server_error', (_context, error) => parts.report(error))
  const { Client } = provider
  Client.prototype.compareClientSecret = function compare(actual: string) {
    return isSecret('client', actual) && matchesHash(actual, this.clientSecret ?? '')
  }
  // A program on a person's machine may listen on any loopback port; our pages are on ours alone.
  const { redirectUriAllowed: isRegistered } = Client.prototype as {
    readonly redirectUriAllowed: (uri: string) => boolean
  }
  Client.prototype.redirectUriAllowed = function isAllowed(uri: string) {
    if (this.clientId === pagesClientId) return this.redirectUris?.includes(uri) ?? false
    return isRegistered.call(this, uri)
  }
  return provider
}

/** Gives tokens values that can be recognized, in the place of the provider's own. */
function nameTokens({ AccessToken, ClientCredentials, RefreshToken }: Provider): void {
  nameToken(AccessToken.prototype, 'access')
  nameToken(ClientCredentials.prototype, 'access')
  nameToken(RefreshToken.prototype, 'refresh')
}

function nameToken(model: object, kind: SecretKind): void {
  const { generateTokenId: generate } = model as { readonly generateTokenId: () => string }
  Object.assign(model, {
    generateTokenId(this: object): string {
      // The provider's own function also settles the format of the token.
      generate.call(this)
      return newSecret(kind)
    },
  })
}

/** Notes whom the issuer gives tokens to, and which sign-ins end. */
export function auditIssuer(provider: Provider, audit: Audit): void {
  provider.on('grant.success', (context) => {
    audit.note({ what: `issued tokens (${grantOf(context)})`, ...describe(context) })
  })
  provider.on('grant.error', (context, { message }) => {
    if (message === 'authorization_pending') return
    audit.note({ what: `refused tokens (${grantOf(context)}): ${message}`, ...describe(context) })
  })
  provider.on('grant.revoked', (context) => {
    audit.note({ what: 'ended a sign-in', ...describe(context) })
  })
}

function grantOf({ oidc }: KoaContextWithOIDC): string {
  const type = oidc.params?.['grant_type']
  return typeof type === 'string' ? type.replace(/^.*:/, '').slice(0, 40) : 'unknown'
}

function describe({ oidc, ip }: KoaContextWithOIDC) {
  const { Account: account, Client: client } = oidc.entities
  return {
    ...(account && { who: account.accountId }),
    ...(client && { on: client.clientId }),
    from: ip,
  }
}
