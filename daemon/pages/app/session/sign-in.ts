import {
  authorizationCodeGrant,
  allowInsecureRequests,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  None,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  ResponseBodyError,
  tokenRevocation,
  type Configuration,
  type TokenEndpointResponse,
} from 'openid-client'
import { actionsScope, writeScope } from '../../../../core/contract/scopes.ts'
import type { Page } from '../api/page.ts'
import { Unreachable } from '../api/http.ts'
import { endSession, keepSession, type Session } from '../api/session.ts'

/** The client id of the pages at the issuer of the service. */
const ownClient = 'deposit-pages'
const pendingKey = 'deposit.sign-in'

/** The state kept while the browser is at the issuer. */
interface Pending {
  readonly verifier: string
  readonly state: string
  readonly returnTo: string
}

/**
 * Leaves for the issuer; it sends the browser back to {@link completeSignIn}.
 *
 * @param returnTo path of a page; empty for a window that closes then
 */
export async function beginSignIn(
  page: Page,
  returnTo: string = location.pathname + location.search,
): Promise<void> {
  const issuer = await findIssuer(page)
  const [verifier, state] = [randomPKCECodeVerifier(), randomState()]
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
  keepSession(toSession(tokens, { signIn: crypto.randomUUID() }))
  return returnTo
}

/**
 * Exchanges the refresh token for the next one and its access token. A sign-in that has ended at the
 * issuer ends here.
 *
 * @throws {Unreachable} it may not have ended
 * @see RFC 6749 §6
 */
export async function renewSession(page: Page, session: Session): Promise<void> {
  try {
    const issuer = await findIssuer(page)
    const asked = { resource: resourceOf(page) }
    const tokens = await refreshTokenGrant(issuer, session.refresh ?? '', asked)
    keepSession(toSession(tokens, session))
  } catch (error) {
    if (!(error instanceof ResponseBodyError)) throw new Unreachable(error)
    endSession()
  }
}

function toSession(
  { access_token: token, expires_in: seconds, refresh_token, scope }: TokenEndpointResponse,
  before: Pick<Session, 'scope' | 'refresh' | 'signIn'>,
): Session {
  return {
    ...before,
    token,
    ...(scope !== undefined && { scope }),
    ...(seconds !== undefined && { expires: Date.now() + seconds * 1000 }),
    ...(refresh_token !== undefined && { refresh: refresh_token }),
  }
}

/** Revokes the tokens of a session at the issuer. @see RFC 7009 */
export async function revokeSession(page: Page, { refresh, token }: Session): Promise<void> {
  const issuer = await findIssuer(page)
  if (refresh !== undefined) await tokenRevocation(issuer, refresh)
  await tokenRevocation(issuer, token)
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
