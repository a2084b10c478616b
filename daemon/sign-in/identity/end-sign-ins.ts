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

/** A program in which a user is signed in. */
export interface LastingSignIn {
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
    found.set(grant, { program: clientId, ...(since !== undefined && { since }), until: expires })
  }
  const { tokens } = database.read
  for (const entry of entries) {
    const token = tokenOf(entry)
    if (token === undefined || entry.expires <= now || !(await tokens.has(token))) continue
    const { clientId, since } = entry.payload
    if (typeof clientId !== 'string') continue
    const signIn = { program: clientId, until: entry.expires }
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
