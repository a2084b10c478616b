import { keepSession } from '../api/session.ts'

/**
 * Exchanges the one-time ticket that `deposit open` puts behind the `#`, where no log and no other
 * server sees it, for the token of this tab. A ticket that is no good leaves the page signed out.
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
