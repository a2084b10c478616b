import type { TokenSource } from '../client/connection.ts'
import type { CredentialStore, Credential } from './credential-store.ts'

interface TokensOptions {
  /** `DEPOSIT_TOKEN`. */
  readonly given: string | undefined
  readonly origin: string
  readonly store: CredentialStore
  /** Signs in without a question where that is possible. */
  readonly signIn: () => Promise<Credential | undefined>
}

/** A stored token that ends sooner than this is not begun with. */
const marginMs = 60_000

/**
 * The token for one server: the one given; else the stored one while it lasts; else a new sign-in,
 * which is then stored.
 */
export function createTokens({ given, origin, store, signIn }: TokensOptions): TokenSource {
  if (given !== undefined) return { current: async () => given, renew: async () => undefined }
  let known: Promise<Credential | undefined> | undefined

  async function signInAnew(): Promise<Credential | undefined> {
    const credential = await signIn()
    if (credential !== undefined) await store.save(origin, credential)
    return credential
  }

  async function findStored(): Promise<Credential | undefined> {
    const stored = await store.find(origin)
    return stored !== undefined && lasts(stored) ? stored : signInAnew()
  }

  return {
    current: async () => {
      const credential = await (known ??= findStored())
      if (credential === undefined || lasts(credential)) return credential?.token
      known = signInAnew()
      return (await known)?.token
    },
    renew: async (refused) => {
      // Several requests may be refused at once: the first one signs in for all.
      if ((await known)?.token === refused) known = signInAnew()
      return (await known)?.token
    },
  }
}

function lasts({ expires }: Credential): boolean {
  return expires === null || Date.parse(expires) - Date.now() > marginMs
}
