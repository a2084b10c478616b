import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Page } from '../api/page.ts'
import { Notice } from '../ui/messages.tsx'
import { besideMark } from './sign-in-gate.tsx'
import { beginSignIn, completeSignIn } from './sign-in.ts'

/**
 * The page the issuer sends the browser back to; it finishes the sign-in. A window beside a page
 * begins here as well, and closes in the end.
 */
export function SignedInPage({ page }: { readonly page: Page }) {
  const [failure, setFailure] = useState('')
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    const work = async () => {
      if (location.search === besideMark) return beginSignIn(page, '')
      const returnTo = await completeSignIn(page)
      if (returnTo === '') {
        setDone(true)
        window.close()
      } else location.replace(returnTo)
    }
    work().catch((error: unknown) => {
      setFailure(reasonOf(error))
      // The issuer's answer is of no use in a bookmark or in the history.
      history.replaceState(null, '', location.pathname)
    })
  }, [])
  if (isDone) return <p class="quiet">{text('signIn.close')}</p>
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
