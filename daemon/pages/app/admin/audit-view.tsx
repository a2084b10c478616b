import { formatTime, text, type TextKey } from '../../text/text.ts'
import { Notice } from '../ui/messages.tsx'
import { pageUrl, type Page } from '../api/page.ts'
import { adminUrl, type AdminApi, type AdminViewProps, type AuditEntry } from './admin-api.ts'
import {
  AdminTable,
  AnswerState,
  askedFilter,
  FilterForm,
  useAnswer,
  withoutEmpty,
} from './admin-list.tsx'

/** Entries of a page. */
const size = 100

const heads: readonly TextKey[] = [
  'admin.when',
  'admin.who',
  'admin.what',
  'admin.on',
  'admin.outcome',
  'admin.from',
]

/** Who did what, newest first; by user, deposit and time. */
export function AuditView({ page, api }: AdminViewProps) {
  const filter = askedFilter('user', 'deposit', 'since', 'before')
  const { user, deposit, since, before } = filter
  const { found, failure } = useAnswer(async () => {
    const who = await findUser(api, user)
    const asked = withoutEmpty({ deposit, since, before, user: who ?? '' })
    return who === undefined ? 'no user' : api.audit({ ...asked, size: String(size) })
  })
  const entries = found === 'no user' ? undefined : found
  const { before: _, ...others } = withoutEmpty(filter)
  const last = entries?.length === size ? entries.at(-1) : undefined
  return (
    <>
      <FilterForm isFiltered={user + deposit + since !== ''}>
        <label>
          {text('admin.user')}
          <input type="search" name="user" autocomplete="off" defaultValue={user} />
        </label>
        <label>
          {text('admin.depositId')}
          <input type="search" name="deposit" autocomplete="off" defaultValue={deposit} />
        </label>
        <label>
          {text('admin.sinceDay')}
          <input type="date" name="since" defaultValue={since} />
        </label>
      </FilterForm>
      <AnswerState failure={failure} isThere={found !== undefined} />
      {found === 'no user' && <Notice kind="warn">{text('admin.noUser')}</Notice>}
      {entries?.length === 0 && <p class="quiet">{text('admin.nothing')}</p>}
      {entries && entries.length > 0 && (
        <AdminTable name={text('admin.audit')} heads={heads.map((head) => text(head))}>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} page={page} />
          ))}
        </AdminTable>
      )}
      <nav class="paging" aria-label={text('paging.label')}>
        {before !== '' && (
          <a class="button" href={adminUrl(page, 'audit', others)}>
            {text('admin.newestEntries')}
          </a>
        )}
        {last && (
          <a
            class="button"
            rel="next"
            href={adminUrl(page, 'audit', { ...others, before: last.id })}
          >
            {text('admin.older')}
          </a>
        )}
      </nav>
    </>
  )
}

/** The id of a user by their e-mail address; empty where none is asked for. */
async function findUser(api: AdminApi, email: string): Promise<string | undefined> {
  // `owner` stands for the operator. An id may be in an address that was kept.
  if (!email.includes('@')) return email
  const { users } = await api.users({ q: email, size: '1000' })
  return users.find((user) => user.email.toLowerCase() === email.toLowerCase())?.id
}

interface EntryRowProps {
  readonly entry: AuditEntry
  readonly page: Page
}

function EntryRow({ entry, page }: EntryRowProps) {
  const { at, who, email, what, status, failed, from, times } = entry
  const filter = email ?? who
  return (
    <tr>
      <td>
        <time dateTime={at}>{formatTime(at)}</time>
      </td>
      <td>
        {filter === undefined ? (
          text('admin.nobody')
        ) : (
          <a href={adminUrl(page, 'audit', { user: filter })}>
            {who === 'owner' ? text('admin.operator') : filter}
          </a>
        )}
      </td>
      <th scope="row">{what}</th>
      <td class="admin-words">
        <Subject entry={entry} page={page} />
      </td>
      <td class="admin-words">
        {failed ?? (status !== undefined && status >= 400 ? status : text('admin.done'))}
        {times !== undefined && ` (${text('admin.times', { count: times })})`}
      </td>
      <td>{from}</td>
    </tr>
  )
}

/** What an entry is about: a deposit with its files and revisions, or else its path. */
function Subject({ entry, page }: EntryRowProps) {
  const { on, deposit, was, revision, object, files } = entry
  const isChange = was !== undefined && revision !== undefined && was !== revision
  const words = [
    object,
    deposit === undefined ? on : undefined,
    files?.join(', '),
    isChange ? text('admin.revisions', { was, now: revision }) : undefined,
  ].filter((each) => each !== undefined && each !== '')
  return (
    <>
      {deposit !== undefined && <a href={pageUrl(page, deposit)}>{deposit.slice(0, 8)}</a>}
      {deposit !== undefined && words.length > 0 && text('record.between')}
      {words.join(text('record.between'))}
    </>
  )
}
