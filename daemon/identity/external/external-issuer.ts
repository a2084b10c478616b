import type { Clock, Database } from '../../../core/index.ts'
import type { Identity } from '../identity.ts'
import { isAdmin, scopesOf } from './claims.ts'
import { externalAccount } from './external-account.ts'
import type { ExternalIssuerSettings } from './settings.ts'
import type { TokenChecker } from './token-checker.ts'

interface ExternalIssuerOptions {
  readonly database: Database
  readonly clock: Clock
  readonly settings: ExternalIssuerSettings
  /** Where the interface is: what tokens must be for, unless the settings say otherwise. */
  readonly resource: () => string
}

/**
 * Recognizes the tokens of an institution's issuer. Whoever has one has an account here; whether
 * they are an administrator, this service decides or a claim that the operator has named.
 */
export function externalIssuer(options: ExternalIssuerOptions): Identity {
  const { settings, resource } = options
  let loading: Promise<TokenChecker> | undefined
  const load = async (): Promise<TokenChecker> => {
    const { tokenChecker } = await import('./token-checker.ts')
    return tokenChecker(settings, () => settings.audience ?? resource())
  }

  return {
    identify: async (token) => {
      // One of ours that is no good is nobody else's business.
      if (token.startsWith('dep_')) return undefined
      const claims = await (await (loading ??= load()))(token)
      const { sub, exp, email, client_id: client } = claims ?? {}
      if (!claims || typeof sub !== 'string' || sub === '') return undefined
      const subject = { issuer: settings.issuer, name: sub }
      const account = await externalAccount(options, subject, email)
      if (account.disabled) return undefined
      return {
        user: account.id,
        scopes: scopesOf(claims),
        admin: account.admin || isAdmin(claims, settings.adminClaim),
        token: { name: typeof client === 'string' ? client : settings.issuer, isSignIn: true },
        ...(typeof exp === 'number' && { expires: new Date(exp * 1000).toISOString() }),
      }
    },
  }
}
