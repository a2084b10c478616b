import { Type } from 'typebox'
import { isPrivateWay } from '../../core/base/loopback.ts'
import { roles, type Role } from '../../core/index.ts'
import { advice } from '../advice.ts'
import { StartFailure } from '../start-failure.ts'

const claim = Type.String({
  pattern: '^[^=]+=.+$',
  wanted: 'a claim and its value: groups=curators',
})

/** `DEPOSIT_ISSUER_ROLES`: the claims, each with a value, that give a role. */
export const issuerRoles = Type.Object(
  Object.fromEntries(
    roles.map((role) => [role, Type.Optional(Type.Union([claim, Type.Array(claim)]))]),
  ),
  { additionalProperties: false },
)

/** A claim with the value that it must have, or have among others. */
export interface WantedClaim {
  readonly name: string
  readonly value: string
}

/** Their values in the configuration. */
export interface IssuerValues {
  readonly DEPOSIT_ISSUER: string | undefined
  readonly DEPOSIT_ISSUER_AUDIENCE: string | undefined
  readonly DEPOSIT_ISSUER_CLIENT_ID: string | undefined
  readonly DEPOSIT_ISSUER_CLIENT_SECRET: string | undefined
  readonly DEPOSIT_ISSUER_ADMIN_CLAIM: string | undefined
  readonly DEPOSIT_ISSUER_ROLES: object | undefined
}

/** An issuer that is not ours, and what is asked of its tokens. */
export interface ExternalIssuerSettings {
  /** Its exact name: what `iss` must say. */
  readonly issuer: string
  /** The audience that `aud` must have; the address of the interface where it is absent. */
  readonly audience?: string
  /** The client that introspects opaque tokens; without one, only signed tokens are accepted. */
  readonly client?: { readonly id: string; readonly secret: string }
  /** The claims that give a role: any of them does. */
  readonly roleClaims: readonly (WantedClaim & { readonly role: Role })[]
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
  return {
    issuer,
    ...(audience !== undefined && { audience }),
    ...(id !== undefined && secret !== undefined && { client: { id, secret } }),
    roleClaims: roleClaimsIn(values),
  }
}

/** Keys that say more of an issuer. */
const ofIssuer = [
  'DEPOSIT_ISSUER_AUDIENCE',
  'DEPOSIT_ISSUER_CLIENT_ID',
  'DEPOSIT_ISSUER_CLIENT_SECRET',
  'DEPOSIT_ISSUER_ADMIN_CLAIM',
  'DEPOSIT_ISSUER_ROLES',
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

function roleClaimsIn(values: IssuerValues): ExternalIssuerSettings['roleClaims'] {
  const { DEPOSIT_ISSUER_ADMIN_CLAIM: admin, DEPOSIT_ISSUER_ROLES: given = {} } = values
  const named = Object.entries(given) as readonly (readonly [Role, string | readonly string[]])[]
  const all = [['administrator', admin ?? []] as const, ...named]
  return all.flatMap(([role, claims]) =>
    [claims].flat().flatMap((text) => {
      const found = parseClaim(text)
      return found ? [{ role, ...found }] : []
    }),
  )
}

/** Undefined where it is none. */
function parseClaim(text = ''): WantedClaim | undefined {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? []
  return name !== undefined && value !== undefined ? { name, value } : undefined
}
