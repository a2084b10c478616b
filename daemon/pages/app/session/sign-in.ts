import {
  authorizationCodeGrant,
  allowInsecureRequests,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  None,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client'
import { actionsScope, writeScope } from '../../../../core/contract/scopes.ts'
import { keepSession } from './session.ts'

const clientId = 'deposit-pages'
const pendingKey = 'deposit.sign-in'

/** What has to be remembered while the browser is at the issuer. */
interface Pending {
  readonly verifier: string
  readonly state: string
  readonly returnTo: string
}

/** Leaves for the issuer of this daemon; it sends the browser back to {@link completeSignIn}. */
export async function beginSignIn(): Promise<void> {
  const issuer = await findIssuer()
  const [verifier, state] = [randomPKCECodeVerifier(), randomState()]
  const returnTo = location.pathname + location.search
  const pending: Pending = { verifier, state, returnTo }
  sessionStorage.setItem(pendingKey, JSON.stringify(pending))
  const url = buildAuthorizationUrl(issuer, {
    redirect_uri: redirectUri(),
    scope: `openid ${writeScope} ${actionsScope}`,
    resource: `${location.origin}/api`,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  location.assign(url.href)
}

/** Exchanges the code in the address for a token; answers where the sign-in began. */
export async function completeSignIn(): Promise<string> {
  const { verifier, state, returnTo } = takePending()
  const tokens = await authorizationCodeGrant(await findIssuer(), new URL(location.href), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
  keepSession({ token: tokens.access_token, ...(tokens.scope && { scope: tokens.scope }) })
  return returnTo
}

function findIssuer(): Promise<Configuration> {
  // A daemon on the loopback address has no certificate, and needs none.
  // oxlint-disable-next-line typescript/no-deprecated -- marked so only to stand out
  const execute = location.protocol === 'http:' ? [allowInsecureRequests] : []
  return discovery(new URL(location.origin), clientId, undefined, None(), { execute })
}

function takePending(): Pending {
  const stored = sessionStorage.getItem(pendingKey)
  sessionStorage.removeItem(pendingKey)
  if (stored === null) throw new Error('no sign-in was begun in this tab')
  return JSON.parse(stored) as Pending
}

function redirectUri(): string {
  return `${location.origin}/deposit/signed-in`
}
