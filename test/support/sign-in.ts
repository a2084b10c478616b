import {
  allowInsecureRequests,
  discovery,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  type Configuration,
  type DeviceAuthorizationResponse,
  type TokenEndpointResponse,
} from 'openid-client'
import { asOwner } from './owner.ts'
import { send, type Reply } from './http.ts'
import type { TestDaemon } from './test-daemon.ts'

export const cliScope = 'openid offline_access deposit:write deposit:actions'

/** The command line as a client of the daemon's issuer. */
export async function cliClient({ origin }: Pick<TestDaemon, 'origin'>): Promise<Configuration> {
  // oxlint-disable-next-line typescript/no-deprecated -- the way to speak plain http to a loopback address
  const execute = [allowInsecureRequests]
  return discovery(new URL(origin), 'deposit-cli', undefined, None(), { execute })
}

/** Approves a device as the owner of the machine. */
export async function approveAsOwner(
  { origin, home }: Pick<TestDaemon, 'origin' | 'home'>,
  userCode: string,
): Promise<Reply> {
  const path = '/local/approve'
  const headers = await asOwner(origin, home, path)
  return send('POST', origin + path, { headers, json: { user_code: userCode } })
}

/** Asks for the tokens of an approved device at once. */
export async function collectTokens(
  client: Configuration,
  device: DeviceAuthorizationResponse,
): Promise<TokenEndpointResponse> {
  return pollDeviceAuthorizationGrant(client, { ...device, interval: 0.01 })
}

/** A sign-in and its client. */
export interface SignIn {
  readonly client: Configuration
  readonly tokens: TokenEndpointResponse
}

/** Signs in by the device flow, approved by the owner of the machine. */
export async function signInByDevice(
  daemon: Pick<TestDaemon, 'origin' | 'home'>,
  scope: string = cliScope,
): Promise<SignIn> {
  const client = await cliClient(daemon)
  const device = await initiateDeviceAuthorization(client, { scope })
  await approveAsOwner(daemon, device.user_code)
  return { client, tokens: await collectTokens(client, device) }
}
