import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  discovery,
  None,
  tokenIntrospection,
  type Configuration,
} from 'openid-client'
import { skewMs } from '../from-future.ts'
import { IssuerUnreachable } from '../refusals.ts'
import { hashSecret } from '../secret.ts'
import { isFor, type Claims } from './claims.ts'
import { endAsFirstSeen } from './first-seen.ts'
import type { ExternalIssuerSettings } from './settings.ts'

/** Signatures that need no shared secret; `none` and HMAC are not among them. */
const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519']

const rememberedMs = 60_000
const mostRemembered = 10_000

/**
 * What the issuer says of a token; undefined where it is not good, or not for us.
 *
 * @throws {IssuerUnreachable} the issuer cannot be asked
 */
export type TokenChecker = (token: string) => Promise<Claims | undefined>

/**
 * Checks tokens of the issuer that is configured, and of no other: signed ones against its keys,
 * opaque ones by asking it, at most once a minute for each.
 *
 * @param audience what `aud` must have
 * @see RFC 7519, RFC 7662, RFC 8725, RFC 9068
 */
export function tokenChecker(
  settings: ExternalIssuerSettings,
  audience: () => string,
): TokenChecker {
  const found = onceFound(() => discover(settings))
  const hasEnded = endAsFirstSeen(skewMs)
  const remembered = new Map<string, { readonly claims: Claims; readonly untilMs: number }>()

  async function ask(token: string): Promise<Claims | undefined> {
    const { configuration } = await found()
    const claims: Claims = await tokenIntrospection(configuration, token)
    const isOurs = claims['iss'] === undefined || claims['iss'] === settings.issuer
    return claims['active'] === true && isOurs && isFor(claims, audience()) ? claims : undefined
  }

  async function askOrRemember(token: string): Promise<Claims | undefined> {
    const key = hashSecret(token)
    const known = remembered.get(key)
    if (known && known.untilMs > performance.now()) return known.claims
    remembered.delete(key)
    const claims = await ask(token)
    if (!claims) return undefined
    if (remembered.size >= mostRemembered) remembered.clear()
    const { exp } = claims
    const leftMs = typeof exp === 'number' ? exp * 1000 - Date.now() : Infinity
    const untilMs = performance.now() + Math.min(leftMs, rememberedMs)
    remembered.set(key, { claims, untilMs })
    return claims
  }

  async function verify(token: string): Promise<Claims | undefined> {
    const { keys } = await found()
    const { issuer } = settings
    const rules = { issuer, audience: audience(), algorithms, clockTolerance: skewMs / 1000 }
    const required = { ...rules, requiredClaims: ['exp', 'sub'] }
    return (await jwtVerify(token, keys, required)).payload
  }

  return async (token) => {
    const isSigned = token.split('.').length === 3
    if (!isSigned && !settings.client) return undefined
    try {
      const claims = await (isSigned ? verify(token) : askOrRemember(token))
      return claims && isIssued(claims) && !hasEnded(token, claims) ? claims : undefined
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout))
        return undefined
      throw error instanceof IssuerUnreachable ? error : new IssuerUnreachable({ cause: error })
    }
  }
}

/** False for a token that is yet to be issued: our clock was set back, or the issuer's is ahead. */
function isIssued({ iat }: Claims): boolean {
  return typeof iat !== 'number' || iat * 1000 <= Date.now() + skewMs
}

interface Discovered {
  readonly configuration: Configuration
  readonly keys: ReturnType<typeof createRemoteJWKSet>
}

/** @throws {IssuerUnreachable} it does not answer, or says that it is somebody else */
async function discover({ issuer, client }: ExternalIssuerSettings): Promise<Discovered> {
  // oxlint-disable-next-line typescript/no-deprecated -- plain http is for an issuer on this machine
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : []
  const id = client?.id ?? 'deposit'
  const authentication = client ? ClientSecretBasic(client.secret) : None()
  try {
    const options = { execute, timeout: 10 }
    const configuration = await discovery(new URL(issuer), id, undefined, authentication, options)
    const { issuer: named, jwks_uri: uri = '' } = configuration.serverMetadata()
    if (named !== issuer) throw new Error(`${issuer} calls itself ${named}`)
    return { configuration, keys: createRemoteJWKSet(new URL(uri), { cooldownDuration: 60_000 }) }
  } catch (error) {
    throw new IssuerUnreachable({ cause: error })
  }
}

/** Remembers what `find` has found; after a failure it is asked again. */
function onceFound<Found>(find: () => Promise<Found>): () => Promise<Found> {
  let finding: Promise<Found> | undefined
  return () => {
    finding ??= find().catch((error: unknown) => {
      finding = undefined
      throw error
    })
    return finding
  }
}
