import type { Static } from 'typebox'
import type {
  auditListBody,
  InvitationListBody,
  refusedListBody,
  UserBody,
  UserChange,
  userListBody,
  withdrawalListBody,
  WorkBody,
} from '../../../../core/contract/admin-schemas.ts'
import type { AdminPart, AdminView } from '../../text/page-data.ts'
import { callJson } from '../api/http.ts'
import type { Page } from '../api/page.ts'
import type { SearchResult } from '../api/deposits.ts'

/** An entry of the audit trail. */
export type AuditEntry = Static<typeof auditListBody>[number]
export type Withdrawal = Static<typeof withdrawalListBody>[number]
export type RefusedIdentifier = Static<typeof refusedListBody>[number]
export type { UserBody, UserChange }

type Filter = Readonly<Record<string, string>>

/** Routes that only administrators may use, and the search over all deposits. */
export function adminApi({ routes }: Pick<Page, 'routes'>, admin: AdminPart) {
  const user = (id: string): string => admin.user.replace('{id}', encodeURIComponent(id))
  const list = (path: string, filter: Filter): string =>
    `${path}?${new URLSearchParams(filter).toString()}`
  return {
    users: (filter: Filter) => callJson<Static<typeof userListBody>>(list(admin.users, filter)),
    user: (id: string) => callJson<UserBody>(user(id)),
    changeUser: (id: string, change: UserChange) =>
      callJson<UserBody>(user(id), { method: 'PATCH', body: { ...change } }),
    deposits: (filter: Filter) => callJson<SearchResult>(list(routes.list, filter)),
    withdrawals: (filter: Filter) =>
      callJson<readonly Withdrawal[]>(list(admin.withdrawals, filter)),
    identifiers: (filter: Filter) =>
      callJson<readonly RefusedIdentifier[]>(list(admin.identifiers, filter)),
    invitations: (filter: Filter) => callJson<InvitationListBody>(list(admin.invitations, filter)),
    work: () => callJson<WorkBody>(admin.work),
    audit: (filter: Filter) => callJson<readonly AuditEntry[]>(list(admin.audit, filter)),
  }
}

export type AdminApi = ReturnType<typeof adminApi>

/** What each of the pages for administrators is given. */
export interface AdminViewProps {
  readonly page: Page
  readonly api: AdminApi
}

/** Address of one of the pages for administrators. */
export function adminUrl(
  { pages }: Pick<Page, 'pages'>,
  view: AdminView,
  filter: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(filter).toString()
  return `${pages.admin}/${view}${query === '' ? '' : `?${query}`}`
}
