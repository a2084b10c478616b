import { StartFailure } from '../../start-failure.ts'

/** Their values in the configuration. */
export interface IssuerValues {
  readonly DEPOSIT_ISSUER: string | undefined
  readonly DEPOSIT_ISSUER_AUDIENCE: string | undefined
  readonly DEPOSIT_ISSUER_CLIENT_ID: string | undefined
  readonly DEPOSIT_ISSUER_CLIENT_SECRET: string | undefined
  readonly DEPOSIT_ISSUER_ADMIN_CLAIM: string | undefined
}

/** An issuer that is not ours, and what is asked of its tokens. */
export interface ExternalIssuerSettings {
  /** Its exact name: what `iss` must say. */
  readonly issuer: string
  /** What `aud` must have; the address of the interface where it is absent. */
  readonly audience?: string
  /** Who asks it about opaque tokens; without one, only signed tokens are taken. */
  readonly client?: { readonly id: string; readonly secret: string }
  /** The claim, and a value of it, that make a user an administrator. */
  readonly adminClaim?: { readonly name: string; readonly value: string }
}

/**
 * Reads `DEPOSIT_ISSUER` and what goes with it; undefined where the embedded issuer is used.
 *
 * @throws {StartFailure} a value is wrong
 */
export function readIssuerSettings(values: IssuerValues): ExternalIssuerSettings | undefined {
  const { DEPOSIT_ISSUER: issuer, DEPOSIT_ISSUER_AUDIENCE: audience } = values
  if (issuer === undefined) return undefined
  requireIssuer(issuer)
  const { DEPOSIT_ISSUER_CLIENT_ID: id, DEPOSIT_ISSUER_CLIENT_SECRET: secret } = values
  const adminClaim = parseClaim(values.DEPOSIT_ISSUER_ADMIN_CLAIM)
  return {
    issuer,
    ...(audience !== undefined && { audience }),
    ...(id !== undefined && secret !== undefined && { client: { id, secret } }),
    ...(adminClaim && { adminClaim }),
  }
}

function requireIssuer(issuer: string): void {
  const url = URL.parse(issuer)
  const isLoopback = url !== null && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return
  throw new StartFailure('config', `DEPOSIT_ISSUER must begin with https://, not "${issuer}".`)
}

function parseClaim(text: string | undefined): ExternalIssuerSettings['adminClaim'] {
  if (text === undefined) return undefined
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return { name, value }
  const wanted = 'a claim and its value, such as groups=deposit-admins'
  throw new StartFailure('config', `DEPOSIT_ISSUER_ADMIN_CLAIM must be ${wanted}, not "${text}".`)
}
