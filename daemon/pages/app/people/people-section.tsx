import { useEffect, useState } from 'preact/hooks'
import type { PersonBody } from '../../../../core/contract/sharing-schemas.ts'
import { text } from '../../text/text.ts'
import { ApiProblem } from '../api/http.ts'
import type { Page } from '../api/page.ts'
import { Confirm } from '../ui/dialog.tsx'
import { say, sayFailure } from '../ui/messages.tsx'
import { LinkList } from './link-list.tsx'
import { sharingApi, type LinkBody, type SharingApi } from './sharing-api.ts'

interface PeopleSectionProps {
  readonly page: Page
  readonly id: string
  /** True for those who say who has access. */
  readonly mayManage: boolean
  /** True for editors and readers, who may give up their role. */
  readonly mayLeave: boolean
}

interface Shared {
  readonly people: readonly PersonBody[]
  /** Absent for those who may not say who has access. */
  readonly links?: readonly LinkBody[]
}

/** Who has which role on the deposit, and the links to it. */
export function PeopleSection({ page, id, mayManage, mayLeave }: PeopleSectionProps) {
  const [shared, setShared] = useState<Shared>()
  const api = sharingApi(page, id)
  const load = async () => {
    const people = await api.people()
    const links = mayManage ? await api.links().catch(undefinedIfRefused) : undefined
    setShared({ people, ...(links && { links }) })
  }
  useEffect(() => {
    // Holders of a link do not see who has access.
    if (page.isByLink !== true) load().catch(() => undefined)
  }, [id])
  if (!shared) return null
  const { people, links } = shared
  const change = async (task: () => Promise<string>) => {
    try {
      const done = await task()
      await load()
      // It is said when the list shows it.
      say(done)
    } catch (error) {
      sayFailure(error)
      await load().catch(() => undefined)
    }
  }
  return (
    <section class="card people" aria-labelledby="people-heading">
      <h2 id="people-heading">{text('people.title')}</h2>
      <ul class="people-list" aria-label={text('people.list')}>
        {people.map((person) => (
          <PersonRow
            key={person.id}
            person={person}
            onRemove={
              links && people.length > 1 ? () => change(() => removed(api, person)) : undefined
            }
          />
        ))}
      </ul>
      {links && (
        <>
          <p class="hint">{text('people.explain')}</p>
          <AddPerson onAdd={(email, role) => change(() => added(api, email, role))} />
          <LinkList api={api} links={links} onChange={change} />
        </>
      )}
      {mayLeave && <Leave page={page} api={api} />}
    </section>
  )
}

/** Gives up one's own role, after a question: only an owner can give it back. */
function Leave({ page, api }: { readonly page: Page; readonly api: SharingApi }) {
  const [isAsking, ask] = useState(false)
  const leave = async () => {
    ask(false)
    try {
      await api.leave()
      location.assign(page.pages.list)
    } catch (error) {
      sayFailure(error)
    }
  }
  return (
    <p>
      <button type="button" onClick={() => ask(true)}>
        {text('people.leave')}
      </button>
      {isAsking && (
        <Confirm
          title={text('people.askLeave')}
          confirm={text('people.confirmLeave')}
          danger
          onConfirm={() => void leave()}
          onClose={() => ask(false)}
        >
          <p>{text('people.explainLeave')}</p>
        </Confirm>
      )}
    </p>
  )
}

function undefinedIfRefused(error: unknown): undefined {
  if (error instanceof ApiProblem && error.status === 403) return undefined
  throw error
}

async function added(api: SharingApi, email: string, role: PersonBody['role']): Promise<string> {
  const { user } = await api.add({ user: email, role })
  return text(`people.added.${role}`, { email: user.email ?? email })
}

async function removed(api: SharingApi, person: PersonBody): Promise<string> {
  await api.remove(person.id)
  return text('people.removed', { email: nameOf(person) })
}

function nameOf({ user }: PersonBody): string {
  return user.email ?? text('people.unknown')
}

interface PersonRowProps {
  readonly person: PersonBody
  readonly onRemove: (() => Promise<void>) | undefined
}

function PersonRow({ person, onRemove }: PersonRowProps) {
  const [isAsking, ask] = useState(false)
  return (
    <li class="person">
      <span class="person-name">{nameOf(person)}</span>{' '}
      <span class="chip">{text(`role.${person.role}`)}</span>
      {onRemove && (
        <button type="button" class="quiet-button" onClick={() => ask(true)}>
          {text('people.remove')}
          <span class="visually-hidden"> {nameOf(person)}</span>
        </button>
      )}
      {onRemove && isAsking && (
        <Confirm
          title={text('people.askRemove', { email: nameOf(person) })}
          confirm={text('people.remove')}
          danger
          onConfirm={() => {
            ask(false)
            void onRemove()
          }}
          onClose={() => ask(false)}
        >
          <p>{text('people.explainRemove')}</p>
        </Confirm>
      )}
    </li>
  )
}

interface AddPersonProps {
  readonly onAdd: (email: string, role: PersonBody['role']) => Promise<void>
}

const roles = ['reader', 'editor', 'owner'] as const

function AddPerson({ onAdd }: AddPersonProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<PersonBody['role']>('reader')
  const submit = async (event: Event) => {
    event.preventDefault()
    await onAdd(email, role)
    setEmail('')
  }
  return (
    <form class="people-form" onSubmit={(event) => void submit(event)}>
      <label>
        {text('people.email')}
        <input
          type="email"
          required
          maxLength={254}
          autocomplete="off"
          value={email}
          onInput={({ currentTarget }) => setEmail(currentTarget.value)}
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
      <button type="submit">{text('people.add')}</button>
    </form>
  )
}
