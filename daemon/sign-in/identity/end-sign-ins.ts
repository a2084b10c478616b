import type { Clock, Database, IssuerEntry, UnitOfWork, UserId } from '../../../core/index.ts'
import { browserProgram, isBrowserToken } from './browser-tokens.ts'
import { hashSecret } from './secret.ts'

/** The kind of the entries of links to set a passphrase: they are beside those of the issuer. */
export const passphraseLink = 'PassphraseLink'

/**
 * Ends all sign-ins of a user at once: grants, codes, access and refresh tokens of all programs, links
 * to download, and the tokens of browsers that signed in by a ticket. Personal tokens stay, and so does a
 * link to set a passphrase.
 */
export async function endSignIns(
  { issuer, tokens }: Pick<UnitOfWork, 'issuer' | 'tokens'>,
  user: UserId,
): Promise<void> {
  await issuer.removeOf(user, passphraseLink)
  for (const token of await tokens.list(user))
    if (isBrowserToken(token)) await tokens.remove(token.id)
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
  const grants = entries.filter(({ kind, payload }) => kind === 'Grant' && isOf(user, payload))
  const found = new Map<string, LastingSignIn>()
  for (const { kind, grant, payload, expires, consumed } of entries) {
    const isGood = lasting.has(kind) && consumed === undefined && expires > now
    const { clientId } = payload
    if (!isGood || grant === undefined || typeof clientId !== 'string') continue
    if (!isOf(user, payload)) continue
    const known = found.get(grant)
    if (known && known.until >= expires) continue
    const since = sinceOf(grants.find(({ hash }) => hash === hashSecret(grant)))
    found.set(grant, { program: clientId, ...(since !== undefined && { since }), until: expires })
  }
  const tokens = (await database.read.tokens.list(user)).filter(isBrowserToken)
  const browsers = tokens.flatMap(({ created: since, expires: until = '' }) =>
    until > now ? [{ program: browserProgram, since, until }] : [],
  )
  return [...found.values(), ...browsers].toSorted((a, b) =>
    (b.since ?? '').localeCompare(a.since ?? ''),
  )
}

function isOf(user: UserId, { accountId }: IssuerEntry['payload']): boolean {
  return accountId === user
}

function sinceOf(grant: IssuerEntry | undefined): string | undefined {
  const { iat } = grant?.payload ?? {}
  return typeof iat === 'number' ? new Date(iat * 1000).toISOString() : undefined
}
