import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Audit } from '../../http/audit.ts'

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
