import {
  authorizationCodeGrant,
  allowInsecureRequests,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  None,
  randomPKCECodeVerifier,
  randomState,
  tokenRevocation,
  type Configuration,
} from 'openid-client'
import { actionsScope, writeScope } from '../../../../core/contract/scopes.ts'
import type { Page } from '../api/page.ts'
import { keepSession } from '../api/session.ts'

/** The client id of the pages at the issuer of the service. */
const ownClient = 'deposit-pages'
const pendingKey = 'deposit.sign-in'

/** The state kept while the browser is at the issuer. */
interface Pending {
  readonly verifier: string
  readonly state: string
  readonly returnTo: string
}

/** Leaves for the issuer; it sends the browser back to {@link completeSignIn}. */
export async function beginSignIn(page: Page): Promise<void> {
  const issuer = await findIssuer(page)
  const [verifier, state] = [randomPKCECodeVerifier(), randomState()]
  const returnTo = location.pathname + location.search
  const pending: Pending = { verifier, state, returnTo }
  sessionStorage.setItem(pendingKey, JSON.stringify(pending))
  const url = buildAuthorizationUrl(issuer, {
    redirect_uri: location.origin + page.pages.signedIn,
    scope: `openid ${writeScope} ${actionsScope}`,
    resource: resourceOf(page),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  location.assign(url.href)
}

/** Exchanges the code in the address for a token; answers where the sign-in began. */
export async function completeSignIn(page: Page): Promise<string> {
  const { verifier, state, returnTo } = takePending()
  const issuer = await findIssuer(page)
  const checks = { pkceCodeVerifier: verifier, expectedState: state }
  const asked = { resource: resourceOf(page) }
  const tokens = await authorizationCodeGrant(issuer, new URL(location.href), checks, asked)
  keepSession({ token: tokens.access_token, ...(tokens.scope && { scope: tokens.scope }) })
  return returnTo
}

/** Revokes a token at the issuer. @see RFC 7009 */
export async function revokeToken(page: Page, token: string): Promise<void> {
  await tokenRevocation(await findIssuer(page), token)
}

/** The resource the token is for. @see RFC 8707 §2 */
function resourceOf({ issuer }: Page): string {
  return issuer?.audience ?? `${location.origin}/api`
}

function findIssuer({ issuer }: Page): Promise<Configuration> {
  const url = new URL(issuer?.name ?? location.origin)
  // A service on the loopback address has no certificate, and needs none.
  // oxlint-disable-next-line typescript/no-deprecated -- marked so only to stand out
  const execute = url.protocol === 'http:' ? [allowInsecureRequests] : []
  return discovery(url, issuer?.client ?? ownClient, undefined, None(), { execute })
}

function takePending(): Pending {
  const stored = sessionStorage.getItem(pendingKey)
  sessionStorage.removeItem(pendingKey)
  if (stored === null) throw new Error('no sign-in was begun in this tab')
  return JSON.parse(stored) as Pending
}
