import type { Account, Database } from '../../core/index.ts'
import { networkOf, withinLimits, type SharedLimit } from './guess-limit.ts'
import { hashPassphrase, matchesPassphrase, passphraseLength } from './passphrase.ts'
import { WrongPassphrase } from './refusals.ts'

/** What a person gives to sign in. */
export interface Credentials {
  readonly email: string
  readonly passphrase: string
  /** Address they come from. */
  readonly from: string
}

/**
 * @throws {WrongPassphrase} there is no such user, or the passphrase is another
 * @throws {TooManyRequests} it was guessed too often, for this user or from this address
 */
export type SignIn = (credentials: Credentials) => Promise<Account>

/** Signs users in with their passphrase. */
export function passphraseSignIn({ read }: Pick<Database, 'read'>, limit: SharedLimit): SignIn {
  const ofUser = limit('sign-in of', 10)
  const ofAddress = limit('sign-in from', 20)
  // Where there is no user, as much time is spent as where there is one.
  const nobody = hashPassphrase('nobody has this one')

  async function find({ email, passphrase }: Credentials): Promise<Account | undefined> {
    const account = await read.accounts.findByEmail(email)
    const hashed = account && (await read.passphrases.find(account.id))
    const isRight = await matchesPassphrase(passphrase, hashed ?? (await nobody))
    return isRight && hashed !== undefined && account?.disabled === false ? account : undefined
  }

  return async ({ email: typed, passphrase, from }) => {
    const email = typed.trim().toLowerCase().slice(0, 320)
    const given = { email, from, passphrase: passphrase.slice(0, passphraseLength.max) }
    const limits = [
      [ofUser, email],
      [ofAddress, networkOf(from)],
    ] as const
    const account = await withinLimits(limits, () => find(given))
    if (!account) throw new WrongPassphrase()
    return account
  }
}
