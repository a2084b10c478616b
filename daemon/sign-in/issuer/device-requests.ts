import type { Provider } from 'oidc-provider'
import type { Account } from '../../../core/index.ts'
import { isScope } from '../../../core/contract/scopes.ts'
import { grantable, isOidcScope, resourceAt } from './scopes.ts'

type DeviceCode = InstanceType<Provider['DeviceCode']>

/** A device that waits for a person to approve it. */
export interface DeviceRequest {
  /** As a person reads it: `BCDF-GHJK`. */
  readonly userCode: string
  readonly client: string
  readonly scopes: readonly string[]
  /** The address and program of the device, as far as known. */
  readonly from: string
  readonly program: string
  /** Seconds since 1970. */
  readonly since: number
  readonly code: DeviceCode
}

/** The request behind a code, however it was typed; undefined where none waits under it. */
export async function findDeviceRequest(
  provider: Provider,
  typed: string,
): Promise<DeviceRequest | undefined> {
  const letters = typed.toUpperCase().replaceAll(/\W/g, '')
  const code = await provider.DeviceCode.findByUserCode(letters)
  if (!code || code.isExpired) return undefined
  if (code.accountId !== undefined || code.error !== undefined) return undefined
  const client = await provider.Client.find(code.clientId ?? '')
  if (!client) return undefined
  const { ip, program } = code.deviceInfo ?? {}
  return {
    userCode: `${letters.slice(0, 4)}-${letters.slice(4)}`,
    client: client.clientName ?? client.clientId,
    scopes: requestedScopes(code, client),
    from: typeof ip === 'string' ? ip : 'unknown',
    program: typeof program === 'string' ? program : 'unknown',
    since: code.iat,
    code,
  }
}

/** Lets the device sign in as `account`, with the scopes it asked for. */
export async function approveDevice(
  provider: Provider,
  { code, scopes }: DeviceRequest,
  { id }: Account,
): Promise<void> {
  const resource = resourceAt(provider.issuer)
  const grant = new provider.Grant({ accountId: id, clientId: code.clientId ?? '' })
  grant.addOIDCScope(scopes.filter(isOidcScope).join(' '))
  grant.addResourceScope(resource, scopes.filter(isScope).join(' '))
  const grantId = await grant.save()
  const authTime = Math.floor(Date.now() / 1000)
  Object.assign(code, { accountId: id, grantId, authTime, scope: scopes.join(' '), resource })
  await code.save()
}

export async function denyDevice({ code }: DeviceRequest): Promise<void> {
  Object.assign(code, { error: 'access_denied', errorDescription: 'The sign-in was denied.' })
  await code.save()
}

function requestedScopes(
  { params }: DeviceCode,
  client: InstanceType<Provider['Client']>,
): readonly string[] {
  const scope = params?.['scope']
  return grantable(typeof scope === 'string' ? scope.split(' ') : ['openid'], client)
}
