import { randomUUID } from 'node:crypto'
import {
  problem,
  rolesOf,
  type Account,
  type Clock,
  type Database,
  type Scope,
  type TokenGrant,
  type UnitOfWork,
  type UserId,
} from '../../../core/index.ts'
import { isFromFuture, hashSecret, isSecret, newSecret } from './secret.ts'
import type { Identity, Identified } from '../../http/identity.ts'

export interface NewToken {
  readonly user: UserId
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Limits the token to one deposit. */
  readonly deposit?: string
  /** Milliseconds from now; absent where it does not expire. */
  readonly lifetimeMs?: number
  /** Id of the personal token it is made with; it ends with that one. */
  readonly parent?: string
  /** Rows stored with it. */
  readonly beside?: (unit: UnitOfWork, grant: TokenGrant) => Promise<void>
}

/** A token just made. Its value is shown once: the store has only its hash. */
interface IssuedToken {
  readonly value: string
  readonly grant: TokenGrant
}

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

/**
 * Makes a token of 256 random bits.
 *
 * @throws {DepositError} unauthenticated: the token it is made with was just revoked
 */
export async function issueToken(
  { database, clock }: Stores,
  { user, name, scopes, deposit, lifetimeMs, parent, beside }: NewToken,
): Promise<IssuedToken> {
  const value = newSecret('personal')
  const created = clock.forward()
  const expires = lifetimeMs && new Date(Date.parse(created) + lifetimeMs).toISOString()
  const grant = {
    id: randomUUID(),
    hash: hashSecret(value),
    user,
    name,
    scopes,
    ...(deposit === undefined ? {} : { deposit }),
    created,
    ...(expires ? { expires } : {}),
    ...(parent === undefined ? {} : { parent }),
  }
  await database.write(async (unit) => {
    if (parent !== undefined && !(await unit.tokens.has(parent))) throw problem('unauthenticated')
    await unit.tokens.insert(grant)
    await beside?.(unit, grant)
  })
  return { value, grant }
}

/** Recognizes the tokens that {@link issueToken} made. */
export function personalTokens({ database, clock }: Stores): Identity {
  return {
    identify: async (value) => {
      if (!isSecret('personal', value)) return undefined
      const found = await database.read.tokens.findByHash(hashSecret(value))
      if (!found || !isInTime(found.grant, clock) || found.account.disabled) return undefined
      return toIdentified(found.grant, found.account)
    },
  }
}

/** One that never expires has no time to gain by a wrong clock. */
function isInTime({ created, expires }: TokenGrant, clock: Clock): boolean {
  if (expires === undefined) return true
  return expires > clock.forward() && !isFromFuture(Date.parse(created), clock)
}

/** What permissions may ask of a user beside their rights. */
export function personOf({ email, name }: Account): Pick<Identified, 'email' | 'name'> {
  return { email, ...(name !== undefined && { name }) }
}

function toIdentified(grant: TokenGrant, account: Account) {
  return {
    user: account.id,
    scopes: new Set(grant.scopes),
    admin: account.admin,
    roles: rolesOf(account),
    ...personOf(account),
    ...(grant.deposit === undefined ? {} : { onlyDeposit: grant.deposit }),
    token: { name: grant.name, id: grant.id },
    ...(grant.expires === undefined ? {} : { expires: grant.expires }),
  }
}

/** Tokens remembered at most; the memory of a few hundred bytes each. */
const most = 10_000

/**
 * Remembers who stands behind a token for as long as reads see the same rows: so one that is
 * revoked, or whose user is disabled, is refused in the next request still. Of four queries that
 * read a deposit two are saved.
 *
 * @param identity answers from the rows of `database` alone
 */
export function remembered(
  identity: Identity,
  { database, clock }: { readonly database: Pick<Database, 'view'>; readonly clock: Clock },
): Identity {
  const known = new Map<string, Identified>()
  let seen: object | undefined

  const keep = (hash: string, identified: Identified, view: object): void => {
    if (view !== seen || known.size >= most) known.clear()
    seen = view
    known.set(hash, identified)
  }

  return {
    identify: async (token, network) => {
      const view = database.view()
      const hash = hashSecret(token)
      const kept = view && view === seen ? known.get(hash) : undefined
      if (kept) return isExpired(kept, clock) ? undefined : kept
      const found = await identity.identify(token, network)
      // Rows that changed while they were read belong to a newer view, so this entry is not found.
      if (found && view) keep(hash, found, view)
      return found
    },
  }
}

function isExpired({ expires }: Identified, clock: Clock): boolean {
  return expires !== undefined && expires <= clock.forward()
}

/** Asks one after another who stands behind a token; the first that knows it answers. */
export function anyIdentity(...identities: readonly Identity[]): Identity {
  return {
    identify: async (token, network) => {
      for (const identity of identities) {
        const identified = await identity.identify(token, network)
        if (identified) return identified
      }
      return undefined
    },
  }
}
