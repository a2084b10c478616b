import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Page } from '../page.ts'
import { Notice } from '../ui/notice.tsx'
import { completeSignIn } from './sign-in.ts'

/** Where the issuer sends the browser back to; it goes on from here by itself. */
export function SignedInPage({ page }: { readonly page: Page }) {
  const [failure, setFailure] = useState('')
  useEffect(() => {
    completeSignIn(page).then(
      (returnTo) => location.replace(returnTo),
      (error: unknown) => setFailure(reasonOf(error)),
    )
  }, [])
  if (failure === '') return <p class="quiet">{text('signIn.arriving')}</p>
  return (
    <section class="sign-in card">
      <h1>{text('signIn.title')}</h1>
      <Notice kind="bad">{text('signIn.failed', { reason: failure })}</Notice>
      <a class="button primary" href={page.pages.list}>
        {text('signIn.retry')}
      </a>
    </section>
  )
}

/** What the issuer says of it, where it says anything. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = 'error_description' in error ? error.error_description : undefined
  return typeof said === 'string' ? said : error.message
}
