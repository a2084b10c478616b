import type { Account, Clock, Database, Json, UnitOfWork, UserId } from '../../../core/index.ts'
import { parseUserId } from '../../../core/index.ts'
import { endSignIns, passphraseLink as kind } from './end-sign-ins.ts'
import { isInTime, hashSecret, newSecret } from './secret.ts'
import { hashPassphrase } from './passphrase.ts'

const lifetimeMs = 7 * 24 * 60 * 60 * 1000

/** Time for which a link that has expired is known as such. */
const rememberedMs = 90 * 24 * 60 * 60 * 1000

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

/**
 * The secret of a link under which a user may set a passphrase, once, within seven days. It takes the
 * place of earlier links of the user.
 */
export async function issuePassphraseLink(
  { database, clock }: Stores,
  user: UserId,
): Promise<string> {
  const secret = newSecret('link')
  const now = Date.parse(clock.forward())
  const ends = new Date(now + lifetimeMs).toISOString()
  const expires = new Date(now + lifetimeMs + rememberedMs).toISOString()
  const grant = `passphrase:${user}`
  const entry = { kind, hash: hashSecret(secret), payload: { user, ends }, grant, expires }
  await database.write(async ({ issuer }) => {
    await issuer.removeGrant(grant)
    await issuer.put(entry)
  })
  return secret
}

/** A link as it stands: `unknown` where a newer one has taken its place, or there never was one. */
export type FoundLink =
  | { readonly state: 'good'; readonly account: Account }
  | { readonly state: 'expired'; readonly ends: string }
  | { readonly state: 'used' | 'unknown' }

export async function findPassphraseLink(
  { database: { read }, clock }: Stores,
  secret: string,
): Promise<FoundLink> {
  const entry = await read.issuer.find(kind, hashSecret(secret))
  if (!entry) return { state: 'unknown' }
  if (entry.consumed !== undefined) return { state: 'used' }
  const { user, ends = entry.expires } = entry.payload
  const [id, end] = [textOf(user), textOf(ends)]
  if (!isInTime({ expires: end }, lifetimeMs, clock)) return { state: 'expired', ends: end }
  const account = await read.accounts.find(parseUserId(id))
  return account?.disabled === false ? { state: 'good', account } : { state: 'unknown' }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Changes the passphrase of somebody who has just proved to know it, and ends all their sign-ins. */
export async function changePassphrase(
  { database }: Pick<Stores, 'database'>,
  { id }: Account,
  passphrase: string,
): Promise<void> {
  const hashed = await hashPassphrase(passphrase)
  await database.write((unit) => replacePassphrase(unit, id, hashed))
}

async function replacePassphrase(unit: UnitOfWork, user: UserId, hashed: string): Promise<void> {
  await unit.passphrases.put(user, hashed)
  await endSignIns(unit, user)
}

/**
 * Sets the passphrase, and ends all sign-ins of the user: somebody else may have known the one before.
 *
 * @returns false if the link was used by another request in between
 */
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
    if (!isFirst) return false
    await replacePassphrase(unit, id, hashed)
    return true
  })
}
