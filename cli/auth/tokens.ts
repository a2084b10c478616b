import { withoutToken, type TokenSource } from '../client/connection.ts'
import type { CredentialStore, Credential } from './credential-store.ts'

interface TokensOptions {
  /** `DEPOSIT_TOKEN`. */
  readonly given: string | undefined
  readonly origin: string
  readonly store: CredentialStore
  readonly signal: AbortSignal
  /** The next tokens of a sign-in; undefined when it has ended. */
  readonly refresh: (token: string) => Promise<Credential | undefined>
  /** Signs in without a question where that is possible. */
  readonly signIn: () => Promise<Credential | undefined>
}

const advice =
  'set DEPOSIT_TOKEN to a token that is good (`deposit token create` makes one), ' +
  'or unset it and run `deposit login`'

/** A stored token that ends sooner than this is not begun with. */
const marginMs = 60_000

/**
 * The token for one server: the one given; else the stored one while it lasts; else the next one of
 * that sign-in, or of a new one, which is then stored.
 */
export function createTokens(options: TokensOptions): TokenSource {
  const { given, origin, store, signal } = options
  if (given !== undefined) return { ...withoutToken, current: async () => given, advice }
  let known: Promise<Credential | undefined> | undefined

  /** @param useless the token that is no good any more */
  const replace = (useless: string | undefined): Promise<Credential | undefined> =>
    store.exclusively(signal, async () => {
      const stored = await store.find(origin)
      // Another command was here first: a token to refresh with is good for one use.
      if (stored !== undefined && stored.token !== useless && lasts(stored)) return stored
      const next = (await nextOf(stored, options)) ?? (await options.signIn())
      if (next !== undefined) await store.save(origin, next)
      else if (stored?.refresh !== undefined) await store.remove(origin)
      return next
    })

  const findStored = async (): Promise<Credential | undefined> => {
    const stored = await store.find(origin)
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
      // Several requests may be refused at once: the first one sees to it for all.
      if ((await known)?.token === refused) known = replace(refused)
      return (await known)?.token
    },
  }
}

async function nextOf(
  stored: Credential | undefined,
  { refresh }: TokensOptions,
): Promise<Credential | undefined> {
  return stored?.refresh === undefined ? undefined : refresh(stored.refresh)
}

function lasts({ expires }: Credential): boolean {
  return expires === null || Date.parse(expires) - Date.now() > marginMs
}
