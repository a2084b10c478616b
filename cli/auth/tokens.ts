import { withoutToken, type TokenSource } from '../client/connection.ts'
import { Failure } from '../failure.ts'
import { notThatDaemon } from '../local-daemon/find.ts'
import type { CredentialStore, Credential } from './credential-store.ts'
import type { IssuerChanged } from './issuer.ts'

interface TokensOptions {
  /** `DEPOSIT_TOKEN`. */
  readonly given: string | undefined
  readonly origin: string
  readonly store: CredentialStore
  readonly signal: AbortSignal
  /** The next tokens of a sign-in; undefined when it has ended. */
  readonly refresh: (token: string, issuer: string | undefined) => Promise<Credential | undefined>
  /** The origin has proved to be our own daemon. */
  readonly isOurs: boolean
  /** Whether the daemon of a home proves itself at the origin: its tokens are for it alone. */
  readonly isDaemonOf: (home: string) => Promise<boolean>
  /** Signs in without asking where possible. */
  readonly signIn: () => Promise<Credential | undefined>
}

/** A stored token that expires sooner than this is renewed first. */
const marginMs = 60_000

/**
 * The token for one server: the one given; else the stored one while it lasts; else the next one of
 * that sign-in, or of a new one, which is then stored.
 */
export function createTokens(options: TokensOptions): TokenSource {
  const { given, origin, store, signal } = options
  if (given !== undefined) return { ...withoutToken, current: async () => given, isGiven: true }
  let known: Promise<Credential | undefined> | undefined

  /** @param useless the token that is no good any more */
  const replace = (useless: string | undefined): Promise<Credential | undefined> =>
    store.exclusively(signal, async () => {
      const stored = await findUsable()
      // Another command has renewed it: a refresh token is good for one use.
      if (stored !== undefined && stored.token !== useless && lasts(stored)) return stored
      const renewed = await nextOf(stored, options)
      const isRenewed = renewed !== undefined && !(renewed instanceof Failure)
      const next = isRenewed ? { ...stored, ...renewed } : await options.signIn()
      if (next === undefined && renewed instanceof Failure) throw renewed
      if (next !== undefined) await store.save(origin, next)
      else if (stored?.refresh !== undefined) await store.remove(origin)
      return next
    })

  const findUsable = async (): Promise<Credential | undefined> => {
    const stored = await store.find(origin)
    if (stored?.home === undefined || (await options.isDaemonOf(stored.home))) return stored
    // The daemon of another home of ours may listen there now; it signs us in.
    if (options.isOurs) return undefined
    throw notThatDaemon(origin, stored.home)
  }

  const findStored = async (): Promise<Credential | undefined> => {
    const stored = await findUsable()
    return stored !== undefined && lasts(stored) ? stored : replace(stored?.token)
  }

  return {
    current: async () => {
      const credential = await (known ??= findStored())
      if (credential === undefined || lasts(credential)) return credential?.token
      known = replace(credential.token)
      return (await known)?.token
    },
    renew: async (refused) => {
      // Several requests may be refused at the same time: the first renews the token for all.
      if ((await known)?.token === refused) known = replace(refused)
      return (await known)?.token
    },
  }
}

/** Returns {@link IssuerChanged} instead of throwing it: there may be another way to sign in. */
async function nextOf(
  stored: Credential | undefined,
  { refresh }: TokensOptions,
): Promise<Credential | IssuerChanged | undefined> {
  if (stored?.refresh === undefined) return undefined
  const { IssuerChanged } = await import('./issuer.ts')
  return refresh(stored.refresh, stored.issuer).catch((error: unknown) => {
    if (error instanceof IssuerChanged) return error
    throw error
  })
}

function lasts({ expires }: Credential): boolean {
  return expires === null || Date.parse(expires) - Date.now() > marginMs
}
