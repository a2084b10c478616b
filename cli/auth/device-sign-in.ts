import type { DeviceAuthorizationResponse, TokenEndpointResponse } from 'openid-client'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import type { Credential } from './credential-store.ts'
import { explain, oauthError } from './explain.ts'
import type { Issuer } from './issuer.ts'

/** The scopes of a sign-in by default. */
export const everyScope = `${writeScope} ${actionsScope}`

/** For the identity of the user and for refresh tokens. */
const ownScope = 'openid offline_access'

interface DeviceSignIn {
  readonly issuer: Issuer
  /** Scopes of the service, with spaces between. */
  readonly scope: string
  readonly signal: AbortSignal
  /**
   * Approves the device, or shows a person how to approve it.
   *
   * @returns true when it is approved already
   */
  readonly approve: (device: DeviceAuthorizationResponse) => Promise<boolean>
  /** Shows a spinner while a person approves the sign-in. */
  readonly waitFor?: (work: () => Promise<Credential>) => Promise<Credential>
}

/**
 * Signs in by the device flow; resolves once it is approved.
 *
 * @throws {Failure} it was denied, or not approved in time
 * @see RFC 8628
 */
export async function signInByDevice(options: DeviceSignIn): Promise<Credential> {
  const { issuer, scope, signal, approve, waitFor = (work) => work() } = options
  const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant } =
    await import('openid-client')
  return explain(`sign in at ${issuer.origin}`, signal, async () => {
    const asked = { scope: `${ownScope} ${scope}`.trim() }
    const device = await initiateDeviceAuthorization(issuer.client, asked)
    const paced = (await approve(device)) ? { ...device, interval: 0 } : device
    return waitFor(async () =>
      toCredential(
        issuer,
        await pollDeviceAuthorizationGrant(issuer.client, paced, undefined, { signal }),
      ),
    )
  })
}

/**
 * The next tokens of a sign-in; undefined when it was revoked or has expired.
 *
 * @throws {Failure} the issuer cannot be asked
 */
export async function refresh(
  issuer: Issuer,
  token: string,
  signal: AbortSignal,
): Promise<Credential | undefined> {
  const { client, origin } = issuer
  const { refreshTokenGrant } = await import('openid-client')
  return explain(`renew the sign-in at ${origin}`, signal, async () => {
    try {
      return toCredential(issuer, await refreshTokenGrant(client, token), token)
    } catch (error) {
      if (oauthError(error) === 'invalid_grant') return undefined
      throw error
    }
  })
}

/** Ends a sign-in for good, with all its tokens. @see RFC 7009 */
export async function revoke(
  { client, origin }: Issuer,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const { tokenRevocation } = await import('openid-client')
  await explain(`end the sign-in at ${origin}`, signal, () => tokenRevocation(client, token))
}

/** @param before stays good where the issuer does not replace it */
function toCredential(
  { name }: Issuer,
  tokens: TokenEndpointResponse,
  before?: string,
): Credential {
  const { access_token: token, expires_in: seconds, refresh_token: next = before } = tokens
  const expires = seconds === undefined ? null : new Date(Date.now() + seconds * 1000).toISOString()
  return { token, expires, ...(next !== undefined && { refresh: next }), issuer: name }
}
