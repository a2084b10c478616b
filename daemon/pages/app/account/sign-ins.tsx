import { formatDay, formatTime, text } from '../../text/text.ts'
import { call } from '../api/http.ts'
import type { Page } from '../api/page.ts'
import { leaveSession } from '../api/session.ts'
import { say, sayFailure } from '../ui/messages.tsx'

/** A program in which the person is signed in. */
export interface SignIn {
  readonly id: string
  readonly program: string
  readonly since?: string
  readonly until: string
  /** That of this page. */
  readonly current?: true
}

interface SignInsProps {
  readonly page: Page
  readonly signIns: readonly SignIn[]
  /** Called once one has ended. */
  readonly onEnded: () => Promise<void>
}

/** Where the person is signed in, and the ways to end one of it, or all: also here. */
export function SignIns({ page, signIns, onEnded }: SignInsProps) {
  const end = async (signIn: SignIn) => {
    try {
      await call(`${page.routes.signIns}/${encodeURIComponent(signIn.id)}`, { method: 'DELETE' })
      await onEnded()
      say(text('account.signedOut', { name: nameOf(signIn) }))
    } catch (error) {
      sayFailure(error)
    }
  }
  const leave = async () => {
    try {
      await call(page.routes.signIns, { method: 'DELETE' })
      leaveSession()
      location.assign(page.pages.list)
    } catch (error) {
      sayFailure(error)
    }
  }
  return (
    <section class="card account-part" aria-labelledby="account-sign-ins">
      <h2 id="account-sign-ins">{text('account.signIns')}</h2>
      <p class="hint">{text('account.signInsExplain')}</p>
      <ul class="people-list" aria-label={text('account.signIns')}>
        {signIns.map((signIn) => (
          <li key={signIn.id} class="person">
            <span>
              <strong>{nameOf(signIn)}</strong> <span class="quiet">{timesOf(signIn)}</span>
            </span>
            {!signIn.current && (
              <button type="button" onClick={() => void end(signIn)}>
                {text('account.signOutOne')}
                <span class="visually-hidden"> {`${nameOf(signIn)}, ${timesOf(signIn)}`}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => void leave()}>
        {text('account.signOutAll')}
      </button>
    </section>
  )
}

function nameOf({ program }: SignIn): string {
  if (program === 'deposit-pages') return text('account.program.pages')
  return program === 'deposit-cli' ? text('account.program.cli') : program
}

function timesOf({ since, until, current }: SignIn): string {
  const end = text('account.until', { day: formatDay(until) })
  const begin =
    since === undefined ? [] : [text('account.since', { day: `${formatTime(since)} UTC` })]
  const here = current ? [text('account.here')] : []
  return [...here, ...begin, end].join(text('record.between'))
}
