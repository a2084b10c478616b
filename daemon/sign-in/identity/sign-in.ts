import { DepositError, type Account, type Database } from '../../../core/index.ts'
import { networkOf, withinLimits, type SharedLimit } from '../../http/authenticate.ts'
import { hashPassphrase, matchesPassphrase, passphraseLength } from './passphrase.ts'
import { hashSecret } from './secret.ts'

/** The fields of the sign-in form. */
export interface Credentials {
  readonly email: string
  readonly passphrase: string
  /** Address they come from. */
  readonly from: string
}

/** E-mail address and passphrase do not go together; which of them is wrong is not said. */
export class WrongPassphrase extends DepositError<'permission_denied'> {
  constructor() {
    super('permission_denied', { message: 'The e-mail address or the passphrase is wrong.' })
  }
}

/**
 * @throws {WrongPassphrase} there is no such user, or the passphrase is another
 * @throws {DepositError} too_many_requests: it was guessed too often, for this user or from this address
 */
export type SignIn = (credentials: Credentials) => Promise<Account>

/** Places that are remembered: a user, and a network from which they have signed in before. */
const mostPlaces = 10_000

/**
 * Signs users in with their passphrase. Guesses are counted for a user at a network, for the user
 * and for the network; where a user has signed in before, guesses made elsewhere or at other users
 * do not keep them out.
 */
export function passphraseSignIn({ read }: Pick<Database, 'read'>, limit: SharedLimit): SignIn {
  const ofPlace = limit('sign-in at', 10)
  const ofUser = limit('sign-in of', 100)
  const ofNetwork = limit('sign-in from', 20)
  const places = new Set<string>()
  let nobody: Promise<string> | undefined

  async function find({ email, passphrase }: Credentials): Promise<Account | undefined> {
    // An unknown user takes as much time as a known one, also at the first sign-in.
    const ofNobody = await (nobody ??= hashPassphrase('nobody has this one'))
    const account = await read.accounts.findByEmail(email)
    const hashed = account && (await read.passphrases.find(account.id))
    const isRight = await matchesPassphrase(passphrase, hashed ?? ofNobody)
    return isRight && hashed !== undefined && account?.disabled === false ? account : undefined
  }

  return async ({ email: typed, passphrase, from }) => {
    const email = typed.trim().toLowerCase().slice(0, 320)
    const given = { email, from, passphrase: passphrase.slice(0, passphraseLength.max) }
    const network = networkOf(from)
    const place = hashSecret(`${network} ${email}`)
    const ofOthers = [
      [ofUser, email],
      [ofNetwork, network],
    ] as const
    const limits = [[ofPlace, place] as const, ...(places.has(place) ? [] : ofOthers)]
    const account = await withinLimits(limits, () => find(given))
    if (!account) throw new WrongPassphrase()
    places.delete(place)
    places.add(place)
    for (const oldest of places) {
      if (places.size <= mostPlaces) break
      places.delete(oldest)
    }
    return account
  }
}
