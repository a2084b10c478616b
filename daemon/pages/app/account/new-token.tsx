import { useState } from 'preact/hooks'
import { actionsScope, writeScope } from '../../../../core/contract/scopes.ts'
import { text } from '../../text/text.ts'
import { callJson } from '../api/http.ts'
import type { Page } from '../api/page.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { sayFailure } from '../ui/messages.tsx'

interface NewTokenProps {
  readonly page: Page
  readonly onMade: () => void
}

/** Seconds that a token made here is good. */
const lifetime = 365 * 86_400

/** Makes a token for a program, and shows it once. */
export function NewToken({ page, onMade }: NewTokenProps) {
  const [name, setName] = useState('')
  const [mayChange, setMayChange] = useState(false)
  const [made, setMade] = useState('')
  const make = async (event: SubmitEvent) => {
    event.preventDefault()
    try {
      const scope = mayChange ? `${writeScope} ${actionsScope}` : ''
      const body = { name: name.trim() || text('account.unnamed'), scope, expires_in: lifetime }
      const { token } = await callJson<{ readonly token: string }>(page.routes.tokens, {
        method: 'POST',
        body,
      })
      setMade(token)
      setName('')
      onMade()
    } catch (error) {
      sayFailure(error)
    }
  }
  return (
    <>
      <form class="new-token-form" onSubmit={(event) => void make(event)}>
        <label class="field">
          <span class="label">{text('account.tokenName')}</span>
          <input
            type="text"
            maxLength={200}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={mayChange}
            onChange={({ currentTarget }) => setMayChange(currentTarget.checked)}
          />{' '}
          {text('account.allowChange')}
        </label>
        <button>{text('account.makeToken')}</button>
      </form>
      {made !== '' && (
        <div class="notice info" role="status">
          <p>{text('account.copyToken')}</p>
          <p>
            <code class="new-token">{made}</code>
          </p>
          <CopyButton content={made} />
        </div>
      )}
    </>
  )
}
