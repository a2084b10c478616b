import type {
  Clock,
  Database,
  IssuerEntry,
  TokenGrant,
  UnitOfWork,
  UserId,
} from '../../../core/index.ts'
import { hashSecret } from './secret.ts'

/** The kind of the entries of links to set a passphrase: they are beside those of the issuer. */
export const passphraseLink = 'PassphraseLink'

/** The kind of the entries of browsers that were signed in by a ticket, whose tokens are personal ones. */
const ticketSignIn = 'TicketSignIn'

/** Remembers that a token is the sign-in of a browser, which {@link endSignIns} ends. */
export async function keepTicketSignIn(
  { issuer }: Pick<UnitOfWork, 'issuer'>,
  { id, user, hash, created, expires = created }: TokenGrant,
  clientId: string,
): Promise<void> {
  const payload = { accountId: user, clientId, token: id, since: created }
  await issuer.put({ kind: ticketSignIn, hash, payload, expires })
}

/**
 * Ends all sign-ins of a user at once: grants, codes, access and refresh tokens of all programs,
 * browsers that were signed in by a ticket, and links to download. Other personal tokens stay, and so
 * does a link to set a passphrase.
 */
export async function endSignIns(
  { issuer, tokens }: Pick<UnitOfWork, 'issuer' | 'tokens'>,
  user: UserId,
): Promise<void> {
  for (const entry of await issuer.listOf(user)) {
    const token = tokenOf(entry)
    if (token !== undefined) await tokens.remove(token)
  }
  await issuer.removeOf(user, passphraseLink)
}

/**
 * Ends one sign-in of a user, as {@link listSignIns} names it: its access and refresh tokens, or the
 * token of a browser that was signed in by a ticket.
 *
 * @returns false where the user has none of this id
 */
export async function endSignIn(
  { issuer, tokens }: Pick<UnitOfWork, 'issuer' | 'tokens'>,
  user: UserId,
  id: string,
): Promise<boolean> {
  const entries = await issuer.listOf(user)
  const browser = entries.find((entry) => tokenOf(entry) === id)
  if (browser) {
    await tokens.remove(id)
    await issuer.remove(browser.kind, browser.hash)
    return true
  }
  const grant = entries.find(
    (entry) => lasting.has(entry.kind) && entry.grant !== undefined && signInId(entry.grant) === id,
  )?.grant
  if (grant === undefined) return false
  await issuer.removeGrant(grant)
  await issuer.remove('Grant', hashSecret(grant))
  return true
}

/** By which a sign-in is named: a grant is a secret. */
export function signInId(grant: string): string {
  return hashSecret(grant).slice(0, 32)
}

/** A program in which a user is signed in. */
export interface LastingSignIn {
  readonly id: string
  /** Its client at the issuer. */
  readonly program: string
  /** ISO 8601, UTC; absent where it is not known. */
  readonly since?: string
  /** ISO 8601, UTC: it ends then, unless the program renews it. */
  readonly until: string
}

const lasting: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken'])

/** Where a user is signed in, the newest sign-in first. Links to download are none. */
export async function listSignIns(
  { database, clock }: { readonly database: Pick<Database, 'read'>; readonly clock: Clock },
  user: UserId,
): Promise<readonly LastingSignIn[]> {
  const now = clock.forward()
  const entries = await database.read.issuer.listOf(user)
  const grants = new Map(
    entries.flatMap((entry) => (entry.kind === 'Grant' ? [[entry.hash, entry] as const] : [])),
  )
  const found = new Map<string, LastingSignIn>()
  for (const { kind, grant, payload, expires, consumed } of entries) {
    const isGood = lasting.has(kind) && consumed === undefined && expires > now
    const { clientId } = payload
    if (!isGood || grant === undefined || typeof clientId !== 'string') continue
    const known = found.get(grant)
    if (known && known.until >= expires) continue
    const since = sinceOf(grants.get(hashSecret(grant)))
    const signIn = { id: signInId(grant), program: clientId, until: expires }
    found.set(grant, { ...signIn, ...(since !== undefined && { since }) })
  }
  const { tokens } = database.read
  for (const entry of entries) {
    const token = tokenOf(entry)
    if (token === undefined || entry.expires <= now || !(await tokens.has(token))) continue
    const { clientId, since } = entry.payload
    if (typeof clientId !== 'string') continue
    const signIn = { id: token, program: clientId, until: entry.expires }
    found.set(token, { ...signIn, ...(typeof since === 'string' && { since }) })
  }
  return [...found.values()].toSorted((a, b) => (b.since ?? '').localeCompare(a.since ?? ''))
}

/** The id of the token that a ticket gave. */
function tokenOf({ kind, payload: { token } }: IssuerEntry): string | undefined {
  return kind === ticketSignIn && typeof token === 'string' ? token : undefined
}

function sinceOf(grant: IssuerEntry | undefined): string | undefined {
  const { iat } = grant?.payload ?? {}
  return typeof iat === 'number' ? new Date(iat * 1000).toISOString() : undefined
}
