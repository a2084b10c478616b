import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Page } from '../page.ts'
import { endSession, onSessionChange, readSession } from './session.ts'

/** The way out, in the head of every page. */
export function Account({ page }: { readonly page: Page }) {
  const [session, setSession] = useState(readSession())
  useEffect(() => onSessionChange(() => setSession(readSession())), [])
  if (!session) return null
  const leave = () => {
    endSession()
    location.assign(page.pages.list)
  }
  return (
    <button type="button" class="quiet-button" onClick={leave}>
      {text('signOut')}
    </button>
  )
}
