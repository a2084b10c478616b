import { useState } from 'preact/hooks'
import type { LinkRequest } from '../../../../core/contract/sharing-schemas.ts'
import { formatDay, formatTime, text } from '../../text/text.ts'
import { Confirm } from '../ui/dialog.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import type { LinkBody, SharingApi } from './sharing-api.ts'

const dayMs = 24 * 60 * 60 * 1000

interface LinkListProps {
  readonly api: SharingApi
  readonly links: readonly LinkBody[]
  /** Runs a change, says its outcome, and loads the lists again. */
  readonly onChange: (task: () => Promise<string>) => Promise<void>
}

/** Links to the deposit: made, shown once, revoked. */
export function LinkList({ api, links, onChange }: LinkListProps) {
  const [made, setMade] = useState<string>()
  const make = (link: LinkRequest) =>
    onChange(async () => {
      setMade((await api.makeLink(link)).url)
      return text('links.made')
    })
  const [asked, setAsked] = useState<LinkBody>()
  const revoke = ({ id }: LinkBody) => {
    setAsked(undefined)
    return onChange(async () => {
      await api.revoke(id)
      return text('links.revoked')
    })
  }
  return (
    <>
      <h3>{text('links.title')}</h3>
      <p class="hint">{text('links.explain')}</p>
      {links.length === 0 && <p class="quiet">{text('links.none')}</p>}
      {links.length > 0 && (
        <ul class="people-list" aria-label={text('links.list')}>
          {links.map((link) => (
            <li key={link.id} class="person">
              <span class="person-name">{link.label || text('links.unnamed')}</span>{' '}
              <small>{factsOf(link)}</small>
              <button type="button" class="quiet-button" onClick={() => setAsked(link)}>
                {text('links.revoke')}
                <span class="visually-hidden"> {link.label}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {asked && (
        <Confirm
          title={text('links.askRevoke', { label: asked.label || text('links.unnamed') })}
          confirm={text('links.revoke')}
          danger
          onConfirm={() => void revoke(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>{text('links.explainRevoke')}</p>
        </Confirm>
      )}
      {made !== undefined && (
        <p class="notice good">
          <label>
            {text('links.made')}
            <input
              readOnly
              aria-label={text('links.address')}
              value={made}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
          </label>{' '}
          <CopyButton content={made} />
        </p>
      )}
      <MakeLink onMake={make} />
    </>
  )
}

function factsOf({ role, anonymous, expires }: LinkBody): string {
  const values = { role: text(`role.${role}`), end: endOf(expires) }
  return text(anonymous ? 'links.factsAnonymous' : 'links.facts', values)
}

/** The last day that was chosen ends with the midnight at which the link does. */
export function endOf(expires: string): string {
  const last = new Date(Date.parse(expires) - 1).toISOString()
  const isMidnight = Date.parse(expires) % dayMs === 0
  return isMidnight
    ? text('links.endOf', { day: formatDay(last) })
    : text('links.at', { time: formatTime(expires) })
}

const roles = ['reader', 'editor'] as const

const presetMs = 30 * dayMs

function MakeLink({ onMake }: { readonly onMake: (link: LinkRequest) => Promise<void> }) {
  const [label, setLabel] = useState('')
  const [role, setRole] = useState<LinkRequest['role']>('reader')
  const [isAnonymous, setAnonymous] = useState(false)
  const [expires, setExpires] = useState(new Date(Date.now() + presetMs).toISOString().slice(0, 10))
  const submit = async (event: Event) => {
    event.preventDefault()
    const anonymous = isAnonymous && role === 'reader'
    await onMake({ role, expires, ...(label !== '' && { label }), anonymous })
    setLabel('')
  }
  return (
    <form class="people-form" onSubmit={(event) => void submit(event)}>
      <label>
        {text('links.label')}
        <input
          maxLength={200}
          value={label}
          onInput={({ currentTarget }) => setLabel(currentTarget.value)}
        />
      </label>
      <label>
        {text('people.role')}
        <select
          value={role}
          onChange={({ currentTarget }) => setRole(roles[currentTarget.selectedIndex] ?? 'reader')}
        >
          {roles.map((each) => (
            <option key={each} value={each}>
              {text(`role.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {text('links.expires')}
        <input
          type="date"
          required
          value={expires}
          onInput={({ currentTarget }) => setExpires(currentTarget.value)}
        />
      </label>
      {role === 'reader' && (
        <label class="people-check">
          <input
            type="checkbox"
            checked={isAnonymous}
            onChange={({ currentTarget }) => setAnonymous(currentTarget.checked)}
          />
          {text('links.anonymous')}
        </label>
      )}
      <button type="submit">{text('links.create')}</button>
    </form>
  )
}
