import {
  isScope,
  parseUserId,
  rolesOf,
  type Account,
  type Clock,
  type Database,
  type IssuerEntry,
} from '../../../core/index.ts'
import { signInScopesIn } from './complete-answers.ts'
import { isFirstParty } from './first-party-clients.ts'
import { resourceAt } from './scopes.ts'
import { signInId } from '../identity/end-sign-ins.ts'
import { personOf } from '../identity/personal-tokens.ts'
import { isFromFuture, hashSecret, isSecret } from '../identity/secret.ts'
import type { Identified, Identity } from '../../http/identity.ts'

interface IssuerTokenOptions {
  readonly database: Database
  readonly clock: Clock
  readonly origin: () => string
}

/**
 * Recognizes the access tokens of the embedded issuer: by one look at its rows, without loading it.
 * A token that was revoked, or whose user was disabled, is refused at the next request.
 */
export function issuerTokens({ database, clock, origin }: IssuerTokenOptions): Identity {
  const { read } = database

  async function findEntry(hash: string): Promise<IssuerEntry | undefined> {
    const found = await read.issuer.find('AccessToken', hash)
    return found ?? read.issuer.find('ClientCredentials', hash)
  }

  return {
    identify: async (token) => {
      if (!isSecret('access', token)) return undefined
      const entry = await findEntry(hashSecret(token))
      if (!entry || entry.expires <= clock.forward()) return undefined
      if (isFromFuture(Number(entry.payload['iat'] ?? 0) * 1000, clock)) return undefined
      if (entry.payload['aud'] !== resourceAt(origin())) return undefined
      const account = await accountOf(database, entry.payload)
      return account && toIdentified(entry, account)
    },
  }
}

/** The fields of a stored token that say whose it is. */
interface Held {
  readonly accountId?: unknown
  readonly clientId?: unknown
}

/**
 * The account a token acts for: a person's, or that of the owner of a client. Undefined where the
 * client was removed, or the user was disabled.
 */
export async function accountOf(
  { read }: Pick<Database, 'read'>,
  { accountId, clientId }: Held,
): Promise<Account | undefined> {
  if (typeof clientId !== 'string') return undefined
  const isOurs = isFirstParty(clientId)
  const client = isOurs ? undefined : await read.clients.find(clientId)
  if (!isOurs && !client) return undefined
  const owner = typeof accountId === 'string' ? parseUserId(accountId) : client?.owner
  const account = owner && (await read.accounts.find(owner))
  return account && !account.disabled ? account : undefined
}

function toIdentified({ payload, grant, expires }: IssuerEntry, account: Account): Identified {
  const { scope, clientId, accountId, extra } = payload
  const isPerson = typeof accountId === 'string'
  return {
    user: account.id,
    scopes: new Set(typeof scope === 'string' ? scope.split(' ').filter(isScope) : []),
    admin: account.admin,
    roles: rolesOf(account),
    ...personOf(account),
    token: {
      name: typeof clientId === 'string' ? clientId : 'sign-in',
      // A program of others may not make lasting tokens of the hour that it was given.
      isSignIn: isPerson && typeof clientId === 'string' && isFirstParty(clientId),
      ...(grant !== undefined && { signIn: signInId(grant) }),
    },
    ...(isPerson && { signInScopes: signInScopesIn(extra) }),
    expires,
  }
}
