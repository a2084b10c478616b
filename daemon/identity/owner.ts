import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import {
  parseUserId,
  type Account,
  type Clock,
  type Database,
  type Scope,
} from '../../core/index.ts'
import { issueToken } from './personal-tokens.ts'

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

const thirtyDaysMs = 30 * 24 * 60 * 60 * 1000

/** The account of the person whose machine this is; made on first use. */
export async function ownerAccount({ database, clock }: Stores): Promise<Account> {
  const email = `${userInfo().username}@localhost`
  const found = await database.read.accounts.findByEmail(email)
  if (found) return found
  const id = parseUserId(randomUUID())
  const account = { id, email, admin: false, disabled: false, created: clock.now() }
  return database.write(async (unit) => {
    const meanwhile = await unit.accounts.findByEmail(email)
    if (meanwhile) return meanwhile
    await unit.accounts.insert(account)
    return account
  })
}

/** A token for the owner, in the shape of an OAuth token answer. */
export async function signInOwner(context: Stores, scopes: readonly Scope[]) {
  const { id } = await ownerAccount(context)
  const grant = { user: id, name: 'deposit on this machine', scopes, lifetimeMs: thirtyDaysMs }
  const { value } = await issueToken(context, grant)
  return {
    access_token: value,
    token_type: 'Bearer',
    expires_in: thirtyDaysMs / 1000,
    scope: ['openid', ...scopes].join(' '),
    user: id,
  }
}
