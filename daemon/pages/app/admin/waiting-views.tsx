import { formatDay, formatNumber, formatSize, text, type TextKey } from '../../text/text.ts'
import { pageUrl } from '../api/page.ts'
import { Notice } from '../ui/messages.tsx'
import { adminUrl, type AdminViewProps } from './admin-api.ts'
import {
  AdminTable,
  AnswerState,
  askedPage,
  PageLinks,
  rowsOfPage,
  useAnswer,
} from './admin-list.tsx'
import { ownersOf, titleOf, useOwners } from './deposits-view.tsx'

const workHeads: readonly TextKey[] = ['admin.waits', 'admin.number']

/** How much there is of everything that waits for somebody, or for the service. */
export function WorkView({ page, api }: AdminViewProps) {
  const { found, failure } = useAnswer(() => api.work())
  if (!found) return <AnswerState failure={failure} isThere={false} />
  const { submitted, invitations, identifiers, trash } = found
  const number = (count: number): string => formatNumber(count)
  const size = formatSize(trash.size)
  const rows = [
    ['submitted', number(submitted), 'reviews'],
    ['invitations', number(invitations), 'invitations'],
    ['refused', number(identifiers.refused), 'identifiers'],
    ['pending', number(identifiers.pending), undefined],
    ['trash', text('admin.ofBytes', { count: number(trash.count), size }), undefined],
  ] as const
  return (
    <>
      {identifiers.paused.map(({ provider, message, since }) => (
        <Notice key={provider} kind="warn">
          {text('admin.paused', { provider, message, day: formatDay(since) })}
        </Notice>
      ))}
      <AdminTable name={text('admin.work')} heads={workHeads.map((head) => text(head))}>
        {rows.map(([name, amount, view]) => (
          <tr key={name}>
            <th scope="row">
              {view === undefined ? (
                text(`admin.waiting.${name}`)
              ) : (
                <a href={adminUrl(page, view)}>{text(`admin.waiting.${name}`)}</a>
              )}
            </th>
            <td>{amount}</td>
          </tr>
        ))}
      </AdminTable>
    </>
  )
}

const reviewHeads: readonly TextKey[] = ['admin.deposit', 'admin.owners', 'admin.submitted']

/** The drafts that wait for reviewers, longest first. */
export function ReviewsView({ page, api }: AdminViewProps) {
  const number = askedPage()
  const { found, failure } = useAnswer(() =>
    api.deposits({ review: 'submitted', page: String(number), size: String(rowsOfPage) }),
  )
  const hits = found?.hits.hits ?? []
  const owners = useOwners(api, hits)
  return (
    <>
      <AnswerState failure={failure} isThere={found !== undefined} />
      {found?.hits.total === 0 && <p class="quiet">{text('admin.noReviews')}</p>}
      {hits.length > 0 && (
        <AdminTable name={text('admin.reviews')} heads={reviewHeads.map((head) => text(head))}>
          {hits.map((deposit) => (
            <tr key={deposit.id}>
              <th scope="row">
                <a href={pageUrl(page, deposit.id)}>{titleOf(deposit)}</a>
              </th>
              <td>
                {ownersOf(deposit)
                  .map((id) => owners.get(id) ?? id)
                  .join(', ')}
              </td>
              <td>{deposit.review && formatDay(deposit.review.at)}</td>
            </tr>
          ))}
        </AdminTable>
      )}
      {found && <PageLinks page={number} total={found.hits.total} />}
    </>
  )
}

/** Rows of the list, which has no pages. */
const most = 1000

const invitationHeads: readonly TextKey[] = ['admin.email', 'admin.since', 'admin.invitedBy']

/** The people who were invited and have no account yet. */
export function InvitationsView({ page, api }: AdminViewProps) {
  const { found, failure } = useAnswer(() => api.invitations({ size: String(most) }))
  return (
    <>
      <p class="hint">{text('admin.invitationsExplain')}</p>
      <AnswerState failure={failure} isThere={found !== undefined} />
      {found?.total === 0 && <p class="quiet">{text('admin.noInvitations')}</p>}
      {found && found.total > most && <p class="quiet">{text('admin.newest', { count: most })}</p>}
      {found && found.total > 0 && (
        <AdminTable
          name={text('admin.invitations')}
          heads={invitationHeads.map((head) => text(head))}
        >
          {found.invitations.map(({ id, email, since, by }) => (
            <tr key={id}>
              <th scope="row">{email}</th>
              <td>{formatDay(since)}</td>
              <td>
                {by && (
                  <a href={adminUrl(page, 'audit', { user: by.email ?? by.id })}>
                    {by.email ?? by.id}
                  </a>
                )}
              </td>
            </tr>
          ))}
        </AdminTable>
      )}
    </>
  )
}
