import { randomUUID } from 'node:crypto'
import { apiPrefix, routes } from '../../../core/contract/routes.ts'
import { problem } from '../../../core/index.ts'
import type { Account, Clock, Database, Scope, TokenGrant, UserId } from '../../../core/index.ts'
import { isFromFuture } from './from-future.ts'
import type { Identity } from '../../http/identity.ts'
import { hashSecret, isSecret, newSecret } from './secret.ts'

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
}

/** A token just made. Its value is shown once: the store has only its hash. */
export interface IssuedToken {
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
  { user, name, scopes, deposit, lifetimeMs, parent }: NewToken,
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
  })
  return { value, grant }
}

/** The address of a token in the API, by which the audit trail names it. */
export function pathOf({ id }: TokenGrant): string {
  return `${apiPrefix}${routes.tokenList}${id}`
}

/** Recognizes the tokens that {@link issueToken} made. */
export function personalTokens({ database, clock }: Stores): Identity {
  return {
    identify: async (value) => {
      if (!isSecret('personal', value)) return undefined
      const grant = await database.read.tokens.findByHash(hashSecret(value))
      if (!grant || !isInTime(grant, clock)) return undefined
      const account = await database.read.accounts.find(grant.user)
      return account && !account.disabled ? toIdentified(grant, account) : undefined
    },
  }
}

/** One that never expires has no time to gain by a wrong clock. */
function isInTime({ created, expires }: TokenGrant, clock: Clock): boolean {
  if (expires === undefined) return true
  return expires > clock.forward() && !isFromFuture(Date.parse(created), clock)
}

function toIdentified(grant: TokenGrant, account: Account) {
  return {
    user: account.id,
    scopes: new Set(grant.scopes),
    admin: account.admin,
    ...(grant.deposit === undefined ? {} : { onlyDeposit: grant.deposit }),
    token: { name: grant.name, id: grant.id },
    ...(grant.expires === undefined ? {} : { expires: grant.expires }),
  }
}
