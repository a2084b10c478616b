import type { Configuration } from 'oidc-provider'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Seconds a code for a device can be approved. */
export const deviceCodeTtl = 10 * minute

/** A refresh token that is not used for this long ends… */
const refreshIdle = 30 * day
/** …and however often it is used, a sign-in ends after this long. */
const refreshMost = 90 * day

/** Seconds. */
export const lifetimes: NonNullable<Configuration['ttl']> = {
  AccessToken: hour,
  AuthorizationCode: minute,
  ClientCredentials: hour,
  DeviceCode: deviceCodeTtl,
  Grant: refreshMost + day,
  IdToken: hour,
  Interaction: 10 * minute,
  RefreshToken: (_context, { iiat }) => {
    const age = Math.floor(Date.now() / 1000) - (iiat ?? Math.floor(Date.now() / 1000))
    return Math.max(1, Math.min(refreshIdle, refreshMost - age))
  },
  Session: 10 * minute,
}
