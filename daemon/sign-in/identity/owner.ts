import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { parseUserId, type Account, type Clock, type Database } from '../../../core/index.ts'

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

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
