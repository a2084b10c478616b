import { errors, interactionPolicy } from 'oidc-provider'
import type { Configuration } from 'oidc-provider'
import { parseUserId } from '../../core/index.ts'
import type { Clock, Database } from '../../core/index.ts'
import type { Audit } from '../http/audit.ts'
import { advice } from '../issuer-advice.ts'
import { issuerPageHeaders } from './pages/headers.ts'
import { errorPage } from './pages/pages.ts'
import { accountOf } from './issuer/issuer-tokens.ts'
import { keepSignInScope } from './issuer/complete-answers.ts'
import { firstPartyClients, pagesClientId } from './issuer/first-party-clients.ts'
import type { IssuerKeys } from './issuer/issuer-keys.ts'
import { issuerStore } from './issuer/issuer-store.ts'
import { lifetimes } from './issuer/lifetimes.ts'
import { allowedScopes, claimsOf, oidcScopes, resourceAt, userinfoPath } from './issuer/scopes.ts'

export interface ProviderParts {
  readonly database: Database
  readonly clock: Clock
  readonly keys: IssuerKeys
  /** Scheme, host and port that clients see: the issuer. */
  readonly origin: string
  /** Path of the page that a browser comes back to. */
  readonly signedIn: string
  /** Path of the page on which people sign in. */
  readonly home: string
  /** Logs what is a bug. */
  readonly report: (error: unknown) => void
  readonly audit: Audit
}

export function configureProvider(parts: ProviderParts): Configuration {
  const { database, clock, keys, origin, signedIn, home } = parts
  return {
    adapter: issuerStore({ database, clock }),
    clients: firstPartyClients(origin, signedIn),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    extraClientMetadata: { properties: ['deposit_scopes', 'introspects'] },
    jwks: { keys: [...keys.jwks.keys] },
    cookies: { keys: [...keys.cookies], short: cookie, long: cookie },
    scopes: Object.keys(oidcScopes),
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    extraTokenClaims: keepSignInScope,
    responseTypes: ['code'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    // Our pages fetch tokens, and browsers send their origin; no foreign page may.
    clientBasedCORS: (_context, requested) => requested === origin,
    // Our pages renew their tokens while they are open; others have to be allowed to stay signed in.
    issueRefreshToken: (_context, client, { scopes }) =>
      client.grantTypeAllowed('refresh_token') &&
      (client.clientId === pagesClientId || scopes.has('offline_access')),
    findAccount: async (_context, id) => {
      const account = await database.read.accounts.find(parseUserId(id))
      if (!account || account.disabled) return undefined
      return { accountId: id, claims: () => claimsOf(account) }
    },
    // A grant is for one authorization: rights granted before are asked for again.
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId
      return id === undefined ? undefined : oidc.provider.Grant.find(id)
    },
    ttl: lifetimes,
    routes,
    interactions: {
      url: (_context, { uid }) => `/oauth/interaction/${uid}`,
      policy: askEachTime(),
    },
    // For browsers alone: programs get the error itself.
    renderError: (context, { error, error_description: description }) => {
      context.set(issuerPageHeaders(origin.startsWith('https:')))
      const message = `The sign-in was asked for in a wrong way: ${description ?? error}.`
      context.body = errorPage(message, { href: home, text: advice.toSignIn() })
    },
    features: features(database, resourceAt(origin)),
  }
}

const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const

const routes = {
  authorization: '/oauth/auth',
  code_verification: '/device',
  device_authorization: '/oauth/device',
  introspection: '/oauth/introspection',
  jwks: '/oauth/jwks',
  revocation: '/oauth/revocation',
  token: '/oauth/token',
  userinfo: userinfoPath,
} as const

function features(database: Database, resource: string): NonNullable<Configuration['features']> {
  return {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      deviceInfo: ({ ip, headers }) => ({ ip, program: headers['user-agent'] }),
    },
    dPoP: { enabled: false },
    introspection: { enabled: true, allowedPolicy: introspectionPolicy(database) },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: async ({ oidc }, indicator, client) => {
        if (indicator !== resource) throw new errors.InvalidTarget()
        // Such a token acts for the owner of the client.
        const isForOwner = oidc.params?.['grant_type'] === 'client_credentials'
        if (isForOwner && !(await accountOf(database, client))) {
          throw new errors.InvalidClient('the owner of the client is disabled')
        }
        return {
          scope: allowedScopes(client).join(' '),
          audience: resource,
          accessTokenFormat: 'opaque',
        }
      },
    },
    revocation: { enabled: true, allowedPolicy: ownTokens },
    rpInitiatedLogout: { enabled: false },
    // Discovery names it; the answer is ours, since the provider gives none for tokens of a resource.
    userinfo: { enabled: true },
  }
}

/**
 * A resource server that the operator has registered may ask about every token. A token that acts
 * for a removed client or a disabled user is not active.
 */
function introspectionPolicy(database: Database) {
  return async (context: unknown, client: ClientMetadata, token: Named): Promise<boolean> => {
    if (client['introspects'] !== true && !ownTokens(context, client, token)) return false
    return (await accountOf(database, token)) !== undefined
  }
}

/** A client may ask about its own tokens, and revoke them; not those of others. */
const ownTokens = (_context: unknown, client: Named, token: Named): boolean =>
  client.clientId !== undefined && client.clientId === token.clientId

interface Named {
  readonly clientId?: string | undefined
  readonly accountId?: string | undefined
}

interface ClientMetadata extends Named {
  readonly [name: string]: unknown
}

/**
 * Asks the person at each authorization: nothing that a browser has
 * kept answers in a person's place.
 */
function askEachTime(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  const always = new interactionPolicy.Check(
    'asked_each_time',
    'The person is asked at each authorization.',
    ({ oidc }) => oidc.result?.login === undefined,
  )
  policy.get('login')?.checks.add(always)
  return policy
}
