import '../styles/admin.css'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { adminViews, type AdminPart, type AdminView } from '../../text/page-data.ts'
import { adminViews as texts } from '../../text/admin-views.ts'
import { addTexts, text } from '../../text/text.ts'
import type { Page } from '../api/page.ts'
import { adminApi, adminUrl, type AdminViewProps } from './admin-api.ts'
import { AuditView } from './audit-view.tsx'
import { DepositsView } from './deposits-view.tsx'
import { IdentifiersView, WithdrawalsView } from './lists-view.tsx'
import { UsersView } from './users-view.tsx'
import { InvitationsView, ReviewsView, WorkView } from './waiting-views.tsx'

addTexts(texts)

const views: Readonly<Record<AdminView, ComponentType<AdminViewProps>>> = {
  users: UsersView,
  work: WorkView,
  deposits: DepositsView,
  reviews: ReviewsView,
  invitations: InvitationsView,
  withdrawals: WithdrawalsView,
  identifiers: IdentifiersView,
  audit: AuditView,
}

/** One of the pages for administrators, and the way to the others. */
export function AdminPage({ page }: { readonly page: Page }) {
  const { admin } = page
  if (!admin) return null
  return <Shown page={page} admin={admin} />
}

function Shown({ page, admin }: { readonly page: Page; readonly admin: AdminPart }) {
  const View = views[admin.view]
  const title = text(`admin.${admin.view}`)
  useEffect(() => {
    document.title = `${title} · ${document.title}`
  }, [])
  return (
    <div class="admin-page">
      <nav class="admin-nav" aria-label={text('admin.nav')}>
        {adminViews.map((view) => (
          <a
            key={view}
            href={adminUrl(page, view)}
            aria-current={view === admin.view ? 'page' : undefined}
          >
            {text(`admin.${view}`)}
          </a>
        ))}
      </nav>
      <h1>{title}</h1>
      <View page={page} api={adminApi(page, admin)} />
    </div>
  )
}
