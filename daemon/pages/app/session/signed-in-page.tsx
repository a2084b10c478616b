import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { Notice } from '../ui/notice.tsx'
import { completeSignIn } from './sign-in.ts'

/** Where the issuer sends the browser back to; it goes on from here by itself. */
export function SignedInPage() {
  const [failure, setFailure] = useState('')
  useEffect(() => {
    completeSignIn().then(
      (returnTo) => location.replace(returnTo),
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    )
  }, [])
  if (failure === '') return <p class="quiet">{text('signIn.arriving')}</p>
  return (
    <section class="sign-in card">
      <h1>{text('signIn.title')}</h1>
      <Notice kind="bad">{text('signIn.failed', { reason: failure })}</Notice>
      <a class="button primary" href="/deposit">
        {text('signIn.retry')}
      </a>
    </section>
  )
}
