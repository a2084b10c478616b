import {
  isGrantedRole,
  rolesOf,
  type Account,
  type Clock,
  type Database,
  type Role,
} from '../../../core/index.ts'
import { IssuerUnreachable } from './issuer-watch.ts'
import type { Identity } from '../../http/identity.ts'
import { groupsOf, nameIn, rolesIn, scopesOf, type Claims } from './claims.ts'
import { personOf } from '../identity/personal-tokens.ts'
import { externalAccount } from './external-account.ts'
import type { IssuerWatch } from './issuer-watch.ts'
import type { ExternalIssuerSettings } from '../../config/issuer-settings.ts'
import type { TokenChecker } from './token-checker.ts'

interface ExternalIssuerOptions {
  readonly database: Database
  readonly clock: Clock
  readonly settings: ExternalIssuerSettings
  /** The resource that tokens must be for, unless the settings say otherwise. */
  readonly resource: () => string
  /** Records the state of the issuer, and why tokens are refused. */
  readonly watch: IssuerWatch
}

interface ExternalIssuer extends Identity {
  /** Looks at the issuer from now on, also while no token comes. */
  readonly start: () => void
}

/** Least time between two changes of a user's noted claims, if their tokens differ. Milliseconds. */
const noteMs = 60_000

const mostNoted = 10_000

/**
 * Recognizes the tokens of an institution's issuer. Each of its users has an account here; this
 * service decides who is an administrator, or a claim that the operator has named.
 */
export function externalIssuer(options: ExternalIssuerOptions): ExternalIssuer {
  const { settings, resource, watch } = options
  let loading: Promise<TokenChecker> | undefined
  const load = async (): Promise<TokenChecker> => {
    const { tokenChecker } = await import('./token-checker.ts')
    return tokenChecker(settings, () => settings.audience ?? resource())
  }
  const checker = (): Promise<TokenChecker> => (loading ??= load())
  const noteRoles = roleNotes(options)

  async function claimsOf(token: string, network: string): Promise<Claims | undefined> {
    const { check } = await checker()
    const checked = await check(token, network).catch((error: unknown) => {
      if (error instanceof IssuerUnreachable) watch.failed(error)
      throw error
    })
    if ('claims' in checked) {
      watch.answered()
      return checked.claims
    }
    watch.refused(checked.refused)
    return undefined
  }

  return {
    start: () => watch.start(async () => (await checker()).probe()),
    identify: async (token, network) => {
      // A bad token of ours is not shown to the other issuer.
      if (token.startsWith('dep_')) return undefined
      const claims = await claimsOf(token, network)
      if (!claims) return undefined
      const { exp, email, name, email_verified: verified } = claims
      const client = nameIn(claims['client_id'])
      const sub = nameIn(claims['sub'])
      // A program that signs in for itself may have no subject: its id names no person.
      const subject = sub ?? (client === undefined ? undefined : `client:${client}`)
      if (subject === undefined) {
        watch.refused('it has neither sub nor client_id')
        return undefined
      }
      const who = { issuer: settings.issuer, name: subject }
      const account = await externalAccount(options, who, {
        email,
        name,
        isUnverified: verified === false || verified === 'false',
      })
      if (account.disabled) {
        watch.refused(`the user ${account.id} is disabled here`)
        return undefined
      }
      const claimed = rolesIn(claims, settings.roleClaims)
      await noteRoles(account, claimed)
      const all = new Set([...rolesOf(account), ...claimed])
      return {
        user: account.id,
        scopes: scopesOf(claims),
        admin: all.has('administrator'),
        roles: all,
        ...personOf(account),
        groups: groupsOf(claims),
        claims,
        token: { name: client ?? settings.issuer, isSignIn: sub !== undefined && sub !== client },
        ...(typeof exp === 'number' && { expires: new Date(exp * 1000).toISOString() }),
      }
    },
  }
}

/** Keeps of each user which roles claims gave them, for lists of the operator. */
function roleNotes({ database, settings }: ExternalIssuerOptions) {
  const noted = new Map<string, number>()
  const areLookedFor = settings.roleClaims.length > 0
  return async (account: Account, claimed: ReadonlySet<Role>): Promise<void> => {
    const { id, claimedAdmin: known = false, claimedRoles: others = [] } = account
    const claimedAdmin = claimed.has('administrator')
    const claimedRoles = [...claimed].filter(isGrantedRole).sort()
    const isNoted = known === claimedAdmin && others.join() === claimedRoles.join()
    if (!areLookedFor || isNoted) return
    const now = performance.now()
    if (now - (noted.get(id) ?? -Infinity) < noteMs) return
    if (noted.size >= mostNoted) noted.clear()
    noted.set(id, now)
    // The person is let in even if nothing can be written.
    await database
      .write(async ({ accounts }) => {
        // The operator may have changed it since it was read.
        const current = await accounts.find(id)
        if (current) await accounts.update({ ...current, claimedAdmin, claimedRoles })
      })
      .catch(() => undefined)
  }
}
