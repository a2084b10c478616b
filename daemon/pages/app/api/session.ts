/**
 * The sign-in of the tabs of this browser. Each keeps it for itself, and hands it to the other tabs
 * of this origin that ask: no cookie carries it, so no other page and no other server of this machine
 * can use it. It ends with the last tab.
 */
export interface Session {
  readonly token: string
  /** Of a personal token, which a ticket gave: the id by which it is revoked. */
  readonly tokenId?: string
  /** Its scopes, separated by spaces; absent if unknown. */
  readonly scope?: string
  /** Milliseconds since 1970 at which the token ends. */
  readonly expires?: number
  /** The token that brings the next one. It is good once. */
  readonly refresh?: string
  /** The same for all tokens of one sign-in. */
  readonly signIn?: string
}

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'told'; readonly session: Session }
  | { readonly kind: 'left' }

const key = 'deposit.session'
const changed = new EventTarget()
const tabs = new BroadcastChannel(key)
/** True once the person has signed out, here or in another tab. */
let hasLeft = false

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  const own = readSession()
  if (data.kind === 'ask') {
    if (own) tell({ kind: 'told', session: own })
  } else if (data.kind === 'left') {
    hasLeft = true
    keep(undefined)
  } else if (!own || isNewer(data.session, own)) {
    hasLeft = false
    keep(data.session)
  }
})

/** A later token of the same sign-in. */
function isNewer(told: Session, own: Session): boolean {
  const isSame = told.signIn !== undefined && told.signIn === own.signIn
  return isSame && (told.expires ?? 0) > (own.expires ?? 0)
}

function tell(message: Message): void {
  tabs.postMessage(message)
}

function keep(session: Session | undefined): void {
  if (session) sessionStorage.setItem(key, JSON.stringify(session))
  else sessionStorage.removeItem(key)
  changed.dispatchEvent(new Event('change'))
}

export function readSession(): Session | undefined {
  const stored = sessionStorage.getItem(key)
  if (stored === null) return undefined
  const session: unknown = JSON.parse(stored)
  const isSession = typeof session === 'object' && session !== null && 'token' in session
  return isSession ? (session as Session) : undefined
}

/** Keeps a sign-in, or its next token, in every tab. */
export function keepSession(session: Session): void {
  hasLeft = false
  keep(session)
  tell({ kind: 'told', session })
}

/** Forgets a token that is not good any more. */
export function endSession(): void {
  keep(undefined)
}

/** Signs out in every tab. */
export function leaveSession(): void {
  hasLeft = true
  keep(undefined)
  tell({ kind: 'left' })
}

/** Whether the person signed out, and the sign-in did not end by itself. */
export function isSignedOut(): boolean {
  return hasLeft
}

/** Milliseconds that other tabs have to answer. */
const patienceMs = 150

/** Asks the other tabs for their sign-in. Answers once one has told of it, or none has for a while. */
export function askOtherTabs(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      tabs.removeEventListener('message', listen)
      resolve()
    }
    // The listener above has kept it by then.
    const listen = ({ data }: MessageEvent<Message>) => data.kind === 'told' && end()
    const timer = setTimeout(end, patienceMs)
    tabs.addEventListener('message', listen)
    tell({ kind: 'ask' })
  })
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
 * server sees it, for a token. An invalid ticket leaves the page signed out.
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
  const { access_token: token, token_id: tokenId, scope } = (await response.json()) as Granted
  keepSession({ token, tokenId, ...(scope !== undefined && { scope }) })
}

interface Granted {
  readonly access_token: string
  readonly token_id: string
  readonly scope?: string
}
