import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Page } from '../api/page.ts'
import { Notice } from '../ui/messages.tsx'
import { completeSignIn } from './sign-in.ts'

/** The page the issuer sends the browser back to; it finishes the sign-in. */
export function SignedInPage({ page }: { readonly page: Page }) {
  const [failure, setFailure] = useState('')
  useEffect(() => {
    completeSignIn(page).then(
      (returnTo) => location.replace(returnTo),
      (error: unknown) => {
        setFailure(reasonOf(error))
        // The issuer's answer is of no use in a bookmark or in the history.
        history.replaceState(null, '', location.pathname)
      },
    )
  }, [])
  if (failure === '') return <p class="quiet">{text('signIn.arriving')}</p>
  return (
    <section class="sign-in card">
      <h1>{text('signIn.title')}</h1>
      <Notice kind="bad">{failure}</Notice>
      <a class="button primary" href={page.pages.list}>
        {text('signIn.retry')}
      </a>
    </section>
  )
}

/** The issuer's own reason, if it gives one. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return text('signIn.failed', { reason: String(error) })
  if ('error' in error && error.error === 'access_denied') return text('signIn.denied')
  const said = 'error_description' in error ? error.error_description : undefined
  const reason = typeof said === 'string' ? said : error.message
  return text('signIn.failed', { reason })
}
