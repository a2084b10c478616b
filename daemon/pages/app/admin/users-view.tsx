import { useState } from 'preact/hooks'
import { counted, formatDay, formatSize, text, type TextKey } from '../../text/text.ts'
import { say, sayFailure } from '../ui/messages.tsx'
import { adminUrl, type AdminViewProps, type UserBody, type UserChange } from './admin-api.ts'
import {
  AdminTable,
  AnswerState,
  askedFilter,
  askedPage,
  FilterForm,
  PageLinks,
  rowsOfPage,
  useAnswer,
  withoutEmpty,
} from './admin-list.tsx'
import { roleName, UserDialog } from './user-dialog.tsx'

const heads: readonly TextKey[] = [
  'admin.email',
  'admin.name',
  'admin.roles',
  'admin.used',
  'admin.quota',
  'admin.since',
  'admin.state',
  'admin.do',
]

/** The users of the service: found, disabled, given roles and room. */
export function UsersView({ page, api }: AdminViewProps) {
  const filter = askedFilter('q')
  const number = askedPage()
  const { found, failure, reload } = useAnswer(() =>
    api.users({ ...withoutEmpty(filter), page: String(number), size: String(rowsOfPage) }),
  )
  const [changing, setChanging] = useState<UserBody>()
  const save = async (user: UserBody, change: UserChange) => {
    setChanging(undefined)
    try {
      await api.changeUser(user.id, change)
      say(text('admin.saved', { email: user.email }))
    } catch (error) {
      sayFailure(error)
    }
    await reload()
  }
  return (
    <>
      <FilterForm isFiltered={filter.q !== ''}>
        <label>
          {text('admin.search')}
          <input type="search" name="q" autocomplete="off" defaultValue={filter.q} />
        </label>
      </FilterForm>
      <AnswerState failure={failure} isThere={found !== undefined} />
      {found && (
        <>
          <p class="quiet" role="status">
            {counted('admin.found', found.total)}
          </p>
          <AdminTable name={text('admin.users')} heads={heads.map((head) => text(head))}>
            {found.users.map((user) => (
              <tr key={user.id}>
                <th scope="row">{user.email}</th>
                <td>{user.name}</td>
                <td>{rolesOf(user)}</td>
                <td>{formatSize(user.used)}</td>
                <td>{user.quota === null ? text('admin.usual') : formatSize(user.quota)}</td>
                <td>{formatDay(user.created)}</td>
                <td>
                  <span class={`badge ${user.disabled ? 'withdrawn' : 'published'}`}>
                    {text(user.disabled ? 'admin.disabled' : 'admin.active')}
                  </span>
                </td>
                <td class="admin-do">
                  <button type="button" onClick={() => setChanging(user)}>
                    {text('admin.change')}
                    <span class="visually-hidden"> {user.email}</span>
                  </button>
                  <a href={adminUrl(page, 'audit', { user: user.email })}>
                    {text('admin.trail')}
                    <span class="visually-hidden"> {user.email}</span>
                  </a>
                </td>
              </tr>
            ))}
          </AdminTable>
          <PageLinks page={number} total={found.total} />
        </>
      )}
      {changing && (
        <UserDialog
          user={changing}
          onSave={(change) => void save(changing, change)}
          onClose={() => setChanging(undefined)}
        />
      )}
    </>
  )
}

function rolesOf({ roles, roles_by_claim: claimed }: UserBody): string {
  const byClaim = claimed.filter((role) => !roles.includes(role))
  return [
    ...roles.map(roleName),
    ...byClaim.map((role) => text('admin.byClaim', { role: roleName(role) })),
  ].join(', ')
}
