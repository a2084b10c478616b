import { formatDay, text } from '../../text/text.ts'
import { call } from '../api/http.ts'
import type { Page } from '../api/page.ts'
import { leaveSession } from '../api/session.ts'
import { sayFailure } from '../ui/messages.tsx'

/** A program in which the person is signed in. */
export interface SignIn {
  readonly program: string
  readonly since?: string
  readonly until: string
}

interface SignInsProps {
  readonly page: Page
  readonly signIns: readonly SignIn[]
}

/** Where the person is signed in, and the way to end all of it: also here. */
export function SignIns({ page, signIns }: SignInsProps) {
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
        {signIns.map((signIn, at) => (
          <li key={at} class="person">
            <span>
              <strong>{nameOf(signIn)}</strong> <span class="quiet">{timesOf(signIn)}</span>
            </span>
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

function timesOf({ since, until }: SignIn): string {
  const end = text('account.until', { day: formatDay(until) })
  const begin = since === undefined ? [] : [text('account.since', { day: formatDay(since) })]
  return [...begin, end].join(text('record.between'))
}
