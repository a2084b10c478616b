/**
 * The access token of this tab, and of no other: no cookie carries it, so no other page and no
 * other server of this machine can use it.
 */
export interface Session {
  readonly token: string
  /** Its scopes, separated by spaces; absent if unknown. */
  readonly scope?: string
}

const key = 'deposit.session'
const changed = new EventTarget()

export function readSession(): Session | undefined {
  const stored = sessionStorage.getItem(key)
  if (stored === null) return undefined
  const session: unknown = JSON.parse(stored)
  const isSession = typeof session === 'object' && session !== null && 'token' in session
  return isSession ? (session as Session) : undefined
}

export function keepSession(session: Session): void {
  sessionStorage.setItem(key, JSON.stringify(session))
  changed.dispatchEvent(new Event('change'))
}

export function endSession(): void {
  sessionStorage.removeItem(key)
  changed.dispatchEvent(new Event('change'))
}

/** Calls `listen` at each sign-in and sign-out; returns a function that stops this. */
export function onSessionChange(listen: () => void): () => void {
  changed.addEventListener('change', listen)
  return () => changed.removeEventListener('change', listen)
}

/** True where the token may do what needs `scope`; the daemon has the last word. */
export function hasScope(scope: string): boolean {
  const scopes = readSession()?.scope
  return scopes === undefined || scopes.split(' ').includes(scope)
}

/**
 * Exchanges the one-time ticket that `deposit open` puts behind the `#`, where no log and no other
 * server sees it, for the token of this tab. An invalid ticket leaves the page signed out.
 */
export async function redeemTicket(): Promise<void> {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket')
  if (ticket === null) return
  history.replaceState(null, '', location.pathname + location.search)
  const response = await fetch('/oauth/ticket', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
  })
  if (!response.ok) return
  const { access_token: token, scope } = (await response.json()) as Granted
  keepSession({ token, ...(scope !== undefined && { scope }) })
}

interface Granted {
  readonly access_token: string
  readonly scope?: string
}
