import { askOtherTabs, endSession, onSessionChange, readSession, type Session } from './session.ts'

/** Milliseconds before its end at which a token is renewed. */
const ahead = 5 * 60_000

type Renew = (session: Session) => Promise<void>

/** Absent on pages that do not sign in themselves. */
let renewSession: Renew | undefined

/** Renews the token of this tab while the page is open. @param by keeps the next token of a session */
export function keepRenewing(by: Renew): void {
  renewSession = by
  let timer: ReturnType<typeof setTimeout> | undefined
  const plan = (): void => {
    clearTimeout(timer)
    const { expires, refresh } = readSession() ?? {}
    if (expires === undefined || refresh === undefined) return
    timer = setTimeout(() => void renew().catch(again), Math.max(0, expires - Date.now() - ahead))
  }
  /** The service or the network is missing for a while. */
  const again = (): void => {
    timer = setTimeout(() => void renew().catch(again), 10_000)
  }
  onSessionChange(plan)
  plan()
}

/**
 * A session with another token than `used`, which the service refused: from another tab, or by
 * renewal. Undefined, and the sign-in of this tab ended, where there is none.
 *
 * @throws {Unreachable}
 */
export async function recoverSession(used: string | undefined): Promise<Session | undefined> {
  const other = (): Session | undefined => {
    const session = readSession()
    return session && session.token !== used ? session : undefined
  }
  if (used === undefined) return undefined
  const known = other()
  if (known) return known
  if (renewSession && readSession()?.refresh !== undefined) await renew(used)
  else await askOtherTabs()
  const found = other()
  if (!found) endSession()
  return found
}

/**
 * Brings the next token, once for all tabs: a refresh token that two of them use ends the sign-in.
 *
 * @param refused a token that the service refused, whenever it ends
 */
async function renew(refused?: string): Promise<void> {
  await navigator.locks.request('deposit.renewal', async () => {
    // The tab that had the lock before may have renewed it, and is about to say so.
    await askOtherTabs()
    const session = readSession()
    if (session?.refresh === undefined) return
    const isGood = session.token !== refused && (session.expires ?? 0) - Date.now() > ahead
    if (!isGood) await renewSession?.(session)
  })
}
