import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Page } from '../api/page.ts'
import { endSession, onSessionChange, readSession } from '../api/session.ts'

/** The way out, in the head of every page. */
export function Account({ page }: { readonly page: Page }) {
  const [session, setSession] = useState(readSession())
  useEffect(() => onSessionChange(() => setSession(readSession())), [])
  if (!session) return null
  const leave = async () => {
    endSession()
    // This tab is signed out, whether the issuer can be reached or not.
    await revoke(page, session.token).catch(() => {})
    location.assign(page.pages.list)
  }
  return (
    <button type="button" class="quiet-button" onClick={() => void leave()}>
      {text('signOut')}
    </button>
  )
}

async function revoke(page: Page, token: string): Promise<void> {
  const { revokeToken } = await import('./sign-in.ts')
  await revokeToken(page, token)
}
