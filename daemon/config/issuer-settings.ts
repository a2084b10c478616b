import { isPrivateWay } from '../../core/base/loopback.ts'
import { advice } from '../advice.ts'
import { StartFailure } from '../start-failure.ts'

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
  /** The audience that `aud` must have; the address of the interface where it is absent. */
  readonly audience?: string
  /** The client that introspects opaque tokens; without one, only signed tokens are accepted. */
  readonly client?: { readonly id: string; readonly secret: string }
  /** The claim, and a value of it, that make a user an administrator. */
  readonly adminClaim?: { readonly name: string; readonly value: string }
}

/**
 * Reads `DEPOSIT_ISSUER` and what goes with it; undefined where the embedded issuer is used.
 *
 * @throws {StartFailure} values are wrong: a line for each
 */
export function readIssuerSettings(values: IssuerValues): ExternalIssuerSettings | undefined {
  const { DEPOSIT_ISSUER: issuer, DEPOSIT_ISSUER_AUDIENCE: audience } = values
  const { DEPOSIT_ISSUER_CLIENT_ID: id, DEPOSIT_ISSUER_CLIENT_SECRET: secret } = values
  const faults = faultsIn(values)
  if (faults.length > 0) throw new StartFailure('config', faults.join('\n'))
  if (issuer === undefined) return undefined
  const adminClaim = parseClaim(values.DEPOSIT_ISSUER_ADMIN_CLAIM)
  return {
    issuer,
    ...(audience !== undefined && { audience }),
    ...(id !== undefined && secret !== undefined && { client: { id, secret } }),
    ...(adminClaim && { adminClaim }),
  }
}

/** Keys that say more of an issuer. */
const ofIssuer = [
  'DEPOSIT_ISSUER_AUDIENCE',
  'DEPOSIT_ISSUER_CLIENT_ID',
  'DEPOSIT_ISSUER_CLIENT_SECRET',
  'DEPOSIT_ISSUER_ADMIN_CLAIM',
] as const

function faultsIn(values: IssuerValues): readonly string[] {
  const { DEPOSIT_ISSUER: issuer, DEPOSIT_ISSUER_ADMIN_CLAIM: claim } = values
  const [id, secret] = ['DEPOSIT_ISSUER_CLIENT_ID', 'DEPOSIT_ISSUER_CLIENT_SECRET'] as const
  const [given, missing] = values[id] === undefined ? [secret, id] : [id, secret]
  const isHalf = (values[id] === undefined) !== (values[secret] === undefined)
  const alone = issuer === undefined ? ofIssuer.filter((key) => values[key] !== undefined) : []
  const them = alone.length === 1 ? 'it' : 'them'
  const faults: readonly (string | false)[] = [
    alone.length > 0 &&
      `Without DEPOSIT_ISSUER, ${alone.join(' and ')} would be ignored. Set DEPOSIT_ISSUER, or remove ${them}.`,
    issuer !== undefined &&
      !isIssuer(issuer) &&
      `DEPOSIT_ISSUER must begin with https://, not "${issuer}".`,
    isHalf && `${given} needs ${missing} as well. ${advice.setBoth()}`,
    claim !== undefined &&
      parseClaim(claim) === undefined &&
      `DEPOSIT_ISSUER_ADMIN_CLAIM must be a claim and its value, such as groups=deposit-admins, not "${claim}".`,
  ]
  return faults.filter((fault) => fault !== false)
}

function isIssuer(issuer: string): boolean {
  const url = URL.parse(issuer)
  return url !== null && isPrivateWay(url)
}

/** Undefined where it is none. */
function parseClaim(text = ''): ExternalIssuerSettings['adminClaim'] {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? []
  return name !== undefined && value !== undefined ? { name, value } : undefined
}
