import { randomUUID } from 'node:crypto'
import {
  parseUserId,
  type Account,
  type Clock,
  type Database,
  type ExternalSubject,
} from '../../../core/index.ts'
import { isPlain, plain } from '../../../core/base/plain.ts'
import { hashSecret } from '../identity/secret.ts'

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

/** Claims of a token. */
interface Claimed {
  readonly email: unknown
  readonly name: unknown
  /** The issuer says that nobody has checked the address: it is not theirs, and opens no invitation. */
  readonly isUnverified?: boolean
}

/**
 * The account of a person whom another issuer knows; made when they are first seen. They are who
 * issuer and subject say: an e-mail address that an account here already has does not make them its user.
 */
export async function externalAccount(
  { database, clock }: Stores,
  subject: ExternalSubject,
  { email, name, isUnverified = false }: Claimed,
): Promise<Account> {
  const known = await database.read.accounts.findBySubject(subject)
  if (known) return known
  return database.write(async ({ accounts, invitations }) => {
    const present = await accounts.findBySubject(subject)
    if (present) return present
    const isUsable = !isUnverified && typeof email === 'string' && isPlain(email)
    const wish = isUsable ? email.toLowerCase() : undefined
    const isFree = wish !== undefined && (await accounts.findByEmail(wish)) === undefined
    const invited = isFree ? await invitations.take(wish) : undefined
    const account = {
      id: invited ?? parseUserId(randomUUID()),
      email: isFree ? wish : standIn(subject),
      ...(typeof name === 'string' && name !== '' && { name: plain(name) }),
      admin: false,
      disabled: false,
      created: clock.now(),
      subject,
    }
    await accounts.insert(account)
    return account
  })
}

/** A name of their own in place of an e-mail address; nothing is ever sent there. */
function standIn({ issuer, name }: ExternalSubject): string {
  return `${hashSecret(`${issuer} ${name}`).slice(0, 16)}@${new URL(issuer).hostname}`
}
