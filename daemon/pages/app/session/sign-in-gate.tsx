import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatNumber, text } from '../../text/text.ts'
import { readMe, type ServiceRole } from '../api/me.ts'
import { reviewApi, reviewsUrl } from '../api/reviews.ts'
import type { Page } from '../api/page.ts'
import { Notice } from '../ui/messages.tsx'
import {
  isSignedOut,
  leaveSession,
  onSessionChange,
  readSession,
  type Session,
} from '../api/session.ts'

interface SignInGateProps {
  readonly page: Page
  readonly children: ComponentChildren
}

/** Shows its children to users who are signed in, and to others the way to sign in. */
export function SignInGate({ page, children }: SignInGateProps) {
  // The cookie of a link goes with every request of the page.
  const maySee = () => readSession() !== undefined || page.isByLink === true
  const [isSignedIn, setSignedIn] = useState(maySee())
  const [wasSignedIn, setWas] = useState(isSignedIn)
  useEffect(
    () =>
      onSessionChange(() => {
        const now = maySee()
        setSignedIn(now)
        if (now) setWas(true)
      }),
    [],
  )
  // An edit and its uploads stay on the page, and continue after signing in again.
  return (
    <>
      {!isSignedIn && <SignInCard page={page} again={wasSignedIn} />}
      {(isSignedIn || wasSignedIn) && <div hidden={!isSignedIn && isSignedOut()}>{children}</div>}
    </>
  )
}

/** What the address of a window has that signs in beside a page. */
export const besideMark = '?beside'

/**
 * Signs in beside the page, which stays as it is; all tabs are told in the end.
 *
 * @returns false where the browser opens no window
 */
function signInBeside({ pages }: Page): boolean {
  const url = pages.signedIn + besideMark
  return window.open(url, 'deposit-sign-in', 'popup,width=520,height=760') !== null
}

/** Whether only people on this machine reach the service: then its owner is among them. */
const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(location.hostname)

function SignInCard({ page, again }: { readonly page: Page; readonly again: boolean }) {
  const [failure, setFailure] = useState('')
  const begin = async () => {
    try {
      if (again && signInBeside(page)) return
      const { beginSignIn } = await import('./sign-in.ts')
      await beginSignIn(page)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <section class={`sign-in card ${again ? 'again' : ''}`} role={again ? 'alert' : undefined}>
      <h1>{text(again ? 'signIn.again' : 'signIn.title')}</h1>
      <p>{text(again ? 'signIn.kept' : 'signIn.explain')}</p>
      <button type="button" class="primary large" onClick={() => void begin()}>
        {text('signIn.button')}
      </button>
      {isLocal && (
        <p class="hint">
          {page.id === undefined ? text('signIn.localList') : text('signIn.local', { id: page.id })}
        </p>
      )}
      {failure && <Notice kind="bad">{text('signIn.failed', { reason: failure })}</Notice>}
    </section>
  )
}

/** The way out, in the head of every page, and what those with a role on the service may open. */
export function Account({ page }: { readonly page: Page }) {
  const [session, setSession] = useState(readSession())
  useEffect(() => onSessionChange(() => setSession(readSession())), [])
  if (!session) return null
  const leave = async () => {
    leaveSession()
    // The tabs are signed out, whether the issuer can be reached or not.
    await revoke(page, session).catch(() => {})
    location.assign(page.pages.list)
  }
  return (
    <>
      <RoleLinks page={page} />
      <WhoLink page={page} />
      <button type="button" class="quiet-button" onClick={() => void leave()}>
        {text('signOut')}
      </button>
    </>
  )
}

/** Says who is signed in, and leads to the account. */
function WhoLink({ page }: { readonly page: Page }) {
  const [email, setEmail] = useState<string | null>(null)
  useEffect(() => {
    readMe(page).then(
      (me) => setEmail(me.email),
      () => undefined,
    )
  }, [])
  return (
    <a class="who" href={page.pages.account} title={text('account.title')}>
      {email ?? text('account.title')}
    </a>
  )
}

/** Drafts that wait for reviewers, and the pages for administrators; nothing for all others. */
function RoleLinks({ page }: { readonly page: Page }) {
  const [roles, setRoles] = useState<readonly ServiceRole[]>([])
  const [waiting, setWaiting] = useState<number>()
  useEffect(() => {
    // Without an answer, the links are missing, and the page works.
    readMe(page).then(
      (me) => setRoles(me.roles),
      () => undefined,
    )
  }, [])
  const isReviewer = page.review !== undefined && roles.length > 0
  useEffect(() => {
    if (!isReviewer) return undefined
    const count = () =>
      void reviewApi(page)
        .count()
        .then(setWaiting, () => undefined)
    count()
    addEventListener('focus', count)
    return () => removeEventListener('focus', count)
  }, [isReviewer])
  const isAdministrator = roles.includes('administrator')
  if (!isReviewer && !isAdministrator) return null
  return (
    <nav class="role-links" aria-label={text('nav.roles')}>
      {isReviewer && (
        <a href={reviewsUrl(page)}>
          {text('review.waiting')}{' '}
          {waiting !== undefined && <span class="count">{formatNumber(waiting)}</span>}
        </a>
      )}
      {isAdministrator && <a href={page.pages.admin}>{text('admin.title')}</a>}
    </nav>
  )
}

async function revoke(page: Page, session: Session): Promise<void> {
  const { token, tokenId } = session
  if (tokenId !== undefined) {
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${page.routes.tokens}/${tokenId}`, { method: 'DELETE', headers })
    return
  }
  const { revokeSession } = await import('./sign-in.ts')
  await revokeSession(page, session)
}
