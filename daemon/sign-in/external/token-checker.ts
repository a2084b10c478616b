import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  discovery,
  None,
  tokenIntrospection,
} from 'openid-client'
import type { Configuration } from 'openid-client'
import { isProblem, problem, Turns } from '../../../core/index.ts'
import { skewMs, hashSecret } from '../identity/secret.ts'
import { IssuerUnreachable } from './issuer-watch.ts'
import { isFor } from './claims.ts'
import type { Claims } from './claims.ts'
import type { ExternalIssuerSettings } from '../../config/issuer-settings.ts'

/** Signatures that need no shared secret; `none` and HMAC are not among them. */
const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519']

const rememberedMs = 60_000
/** Long enough against floods, short enough for a token that becomes good. */
const refusedMs = 5000
const mostRemembered = 10_000

/** Tokens of one network that the issuer is asked about at once; the others queue. */
const askedOfNetwork = 8
const askedOfAll = 256
/** Longest queue, of one network and of all; further tokens get 503. */
const mostWaiting = { own: 100, all: 2000 }

/** The claims of a valid token that is for us, or why it is refused. */
export type Checked = { readonly claims: Claims } | { readonly refused: string }

export interface TokenChecker {
  /**
   * @throws {IssuerUnreachable} the issuer cannot be asked
   * @throws {DepositError} overloaded: too many tokens wait to be asked about
   */
  readonly check: (token: string, network: string) => Promise<Checked>
  /** @throws {IssuerUnreachable} the issuer does not say who it is */
  readonly probe: () => Promise<void>
}

/**
 * Checks tokens of the issuer that is configured, and of no other: signed ones against its keys,
 * opaque ones by asking it, at most once a minute for each that is good.
 *
 * @param audience what `aud` must have
 * @see RFC 7519, RFC 7662, RFC 8725, RFC 9068
 */
export function tokenChecker(
  settings: ExternalIssuerSettings,
  audience: () => string,
): TokenChecker {
  const found = onceFound(() => discover(settings))
  const turns = new Turns({ all: askedOfAll, each: askedOfNetwork })
  const hasEnded = endAsFirstSeen(skewMs)
  const remembered = new Map<string, { readonly claims: Claims; readonly untilMs: number }>()
  // Apart from those that are good: made-up tokens push none of them out.
  const refusals = new Map<string, { readonly refused: string; readonly untilMs: number }>()

  async function ask(token: string): Promise<Checked> {
    if (!settings.client) return { refused: notSigned }
    const { configuration } = await found()
    const claims: Claims = await tokenIntrospection(configuration, token)
    const { active, iss } = claims
    if (active !== true) return { refused: 'the issuer says that it is not active' }
    if (iss !== undefined && iss !== settings.issuer) return { refused: `its iss is ${told(iss)}` }
    return isFor(claims, audience()) ? { claims } : { refused: wrongAudience(claims) }
  }

  function recall(key: string): Checked | undefined {
    const known = remembered.get(key) ?? refusals.get(key)
    if (known && known.untilMs > performance.now()) return known
    remembered.delete(key)
    refusals.delete(key)
    return undefined
  }

  async function askOrRemember(token: string, network: string): Promise<Checked> {
    const key = hashSecret(token)
    const known = recall(key)
    if (known) return known
    const waiting = turns.waiting(network)
    if (waiting.own >= mostWaiting.own || waiting.all >= mostWaiting.all)
      throw problem('overloaded', {
        message: 'Too many access tokens wait to be checked; try again in a moment.',
      })
    using _ = await turns.take(network)
    return recall(key) ?? keep(key, await ask(token))
  }

  function keep(key: string, checked: Checked): Checked {
    if ('refused' in checked) {
      if (refusals.size >= mostRemembered) refusals.clear()
      refusals.set(key, { ...checked, untilMs: performance.now() + refusedMs })
      return checked
    }
    const { claims } = checked
    if (remembered.size >= mostRemembered) remembered.clear()
    const { exp } = claims
    const leftMs = typeof exp === 'number' ? exp * 1000 - Date.now() : Infinity
    const untilMs = performance.now() + Math.min(leftMs, rememberedMs)
    remembered.set(key, { claims, untilMs })
    return checked
  }

  async function verify(token: string): Promise<Checked> {
    const { keys } = await found()
    const { issuer } = settings
    const rules = { issuer, audience: audience(), algorithms, clockTolerance: skewMs / 1000 }
    const required = { ...rules, requiredClaims: ['exp'] }
    return { claims: (await jwtVerify(token, keys, required)).payload }
  }

  /** Why the library refuses a token, with what an operator may have to set. */
  function explain(error: errors.JOSEError): string {
    if (!(error instanceof errors.JWTClaimValidationFailed)) return error.message
    const { claim, payload } = error
    return claim === 'aud' ? wrongAudience(payload) : `${error.message}: ${told(payload[claim])}`
  }

  const wrongAudience = ({ aud }: Claims): string =>
    `its aud is ${told(aud)}, not ${audience()} (DEPOSIT_ISSUER_AUDIENCE)`

  return {
    check: async (token, network) => {
      const isSigned = token.split('.').length === 3
      try {
        const checked = await (isSigned ? verify(token) : askOrRemember(token, network))
        if ('refused' in checked) return checked
        if (!isIssued(checked.claims)) return { refused: 'it is issued in the future (iat)' }
        return hasEnded(token, checked.claims) ? { refused: 'it has expired' } : checked
      } catch (error) {
        const isRefusal =
          error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)
        if (isRefusal) return { refused: explain(error) }
        throw isProblem(error) ? error : new IssuerUnreachable(error)
      }
    },
    probe: async () => {
      await discover(settings)
    },
  }
}

const notSigned =
  'it is opaque, and without DEPOSIT_ISSUER_CLIENT_ID and DEPOSIT_ISSUER_CLIENT_SECRET the issuer is not asked'

/** A claim as it is logged. */
function told(claim: unknown): string {
  return claim === undefined ? 'missing' : JSON.stringify(claim).slice(0, 200)
}

/** False for a token that is yet to be issued: our clock was set back, or the issuer's is ahead. */
function isIssued({ iat }: Claims): boolean {
  return typeof iat !== 'number' || iat * 1000 <= Date.now() + skewMs
}

interface Discovered {
  readonly configuration: Configuration
  readonly keys: ReturnType<typeof createRemoteJWKSet>
}

/** @throws {IssuerUnreachable} it does not answer, or names another issuer */
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
    throw new IssuerUnreachable(error)
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

const most = 10_000

/**
 * Remembers when tokens end, from when they are first seen, by a clock that
 * is never set: if that of the machine is set back, they still end in time. If the
 * issuer names another end, that one counts from then on.
 *
 * @param graceMs how much longer than that they may be used
 * @returns what tells whether a token has ended
 */
export function endAsFirstSeen(graceMs: number): (token: string, claims: Claims) => boolean {
  const ends = new Map<string, { readonly exp: number; readonly end: number }>()
  return (token, { exp }) => {
    if (typeof exp !== 'number') return false
    const key = hashSecret(token)
    const now = performance.now()
    const known = ends.get(key)
    const told = now + exp * 1000 - Date.now()
    const end = known?.exp === exp ? Math.min(known.end, told) : told
    if (ends.size >= most) ends.clear()
    ends.set(key, { exp, end })
    return now >= end + graceMs
  }
}
