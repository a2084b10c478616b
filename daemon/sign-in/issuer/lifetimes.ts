import type { Configuration } from 'oidc-provider'
import { pagesClientId } from './first-party-clients.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Seconds a code for a device can be approved. */
export const deviceCodeTtl = 10 * minute

/** A refresh token that is not used for this long ends… */
const refreshIdle = 30 * day
/** …and however often it is used, a sign-in ends after this long. */
const refreshMost = 90 * day

/** Those of our pages are in a browser: they outlast a night with the lid closed, and two weeks in all. */
const pagesIdle = day
const pagesMost = 14 * day

/** Seconds. */
export const lifetimes: NonNullable<Configuration['ttl']> = {
  AccessToken: hour,
  AuthorizationCode: minute,
  ClientCredentials: hour,
  DeviceCode: deviceCodeTtl,
  Grant: refreshMost + day,
  IdToken: hour,
  Interaction: 10 * minute,
  RefreshToken: (_context, { iiat, clientId }) => {
    const age = Math.floor(Date.now() / 1000) - (iiat ?? Math.floor(Date.now() / 1000))
    const isOfPages = clientId === pagesClientId
    const [idle, most] = isOfPages ? [pagesIdle, pagesMost] : [refreshIdle, refreshMost]
    return Math.max(1, Math.min(idle, most - age))
  },
  Session: 10 * minute,
}
