import type { Account, Clock, Database, UserId } from '../../../core/index.ts'
import { parseUserId } from '../../../core/index.ts'
import { isInTime, hashSecret, newSecret } from './secret.ts'
import { hashPassphrase } from './passphrase.ts'

const kind = 'PassphraseLink'
const lifetimeMs = 7 * 24 * 60 * 60 * 1000

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

/** The secret of a link under which a user may set a passphrase, once, within seven days. */
export async function issuePassphraseLink(
  { database, clock }: Stores,
  user: UserId,
): Promise<string> {
  const secret = newSecret('link')
  const expires = new Date(Date.parse(clock.forward()) + lifetimeMs).toISOString()
  const entry = { kind, hash: hashSecret(secret), payload: { user }, expires }
  await database.write((unit) => unit.issuer.put(entry))
  return secret
}

/** Whose link it is; undefined where it is unknown, used or too old. */
export async function findLinkOwner(
  { database: { read }, clock }: Stores,
  secret: string,
): Promise<Account | undefined> {
  const entry = await read.issuer.find(kind, hashSecret(secret))
  if (!entry || entry.consumed !== undefined) return undefined
  if (!isInTime(entry, lifetimeMs, clock)) return undefined
  const { user } = entry.payload
  const account = await read.accounts.find(parseUserId(typeof user === 'string' ? user : ''))
  return account?.disabled === false ? account : undefined
}

/** Sets the passphrase; false if the link was used by another request in between. */
export async function setPassphrase(
  { database, clock }: Stores,
  { id }: Account,
  secret: string,
  passphrase: string,
): Promise<boolean> {
  const hashed = await hashPassphrase(passphrase)
  const now = Math.floor(Date.parse(clock.forward()) / 1000)
  return database.write(async (unit) => {
    const isFirst = await unit.issuer.consume(kind, hashSecret(secret), now)
    if (isFirst) await unit.passphrases.put(id, hashed)
    return isFirst
  })
}
