import { formatDay, text, type TextKey } from '../../text/text.ts'
import { depositApi } from '../api/deposits.ts'
import { pageUrl, recordUrl } from '../api/page.ts'
import { say, sayFailure } from '../ui/messages.tsx'
import type { AdminViewProps, Withdrawal } from './admin-api.ts'
import { AdminTable, AnswerState, useAnswer } from './admin-list.tsx'

/** Rows of these lists; the service has no pages of them. */
const most = 500

const withdrawalHeads: readonly TextKey[] = [
  'admin.record',
  'admin.when',
  'admin.who',
  'admin.reason',
  'admin.note',
  'admin.do',
]

/** The records that are withdrawn, last change first. */
export function WithdrawalsView({ page, api }: AdminViewProps) {
  const { found, failure, reload } = useAnswer(() => api.withdrawals({ size: String(most) }))
  const restore = async ({ deposit, record }: Withdrawal) => {
    try {
      await depositApi(page).run(deposit, 'restore-record')
      say(text('admin.restored', { value: record }))
    } catch (error) {
      sayFailure(error)
    }
    await reload()
  }
  return (
    <>
      <AnswerState failure={failure} isThere={found !== undefined} />
      <Remarks rows={found} none="admin.noWithdrawals" />
      {found && found.length > 0 && (
        <AdminTable
          name={text('admin.withdrawals')}
          heads={withdrawalHeads.map((head) => text(head))}
        >
          {found.map((each) => (
            <tr key={each.record}>
              <th scope="row">
                <a href={recordUrl(page, each.record)}>{each.record}</a>
              </th>
              <td>{formatDay(each.at)}</td>
              <td>{text(`withdrawn.by.${each.by}`)}</td>
              <td>{text(`withdrawn.reason.${each.reason}`)}</td>
              <td class="admin-words">{each.note}</td>
              <td class="admin-do">
                {each.bytes_destroyed ? (
                  <span class="quiet">{text('admin.gone')}</span>
                ) : (
                  <button type="button" onClick={() => void restore(each)}>
                    {text('admin.restore')}
                    <span class="visually-hidden"> {each.record}</span>
                  </button>
                )}
                <a href={pageUrl(page, each.deposit)}>
                  {text('admin.deposit')}
                  <span class="visually-hidden"> {each.record}</span>
                </a>
              </td>
            </tr>
          ))}
        </AdminTable>
      )}
    </>
  )
}

const identifierHeads: readonly TextKey[] = [
  'admin.identifier',
  'admin.provider',
  'admin.record',
  'admin.said',
]

/** Identifiers that their provider refuses. */
export function IdentifiersView({ page, api }: AdminViewProps) {
  const { found, failure } = useAnswer(() => api.identifiers({ size: String(most) }))
  return (
    <>
      <p class="hint">{text('admin.identifiersExplain')}</p>
      <AnswerState failure={failure} isThere={found !== undefined} />
      <Remarks rows={found} none="admin.noIdentifiers" />
      {found && found.length > 0 && (
        <AdminTable
          name={text('admin.identifiers')}
          heads={identifierHeads.map((head) => text(head))}
        >
          {found.map(({ value, provider, subject, message, field }) => (
            <tr key={value}>
              <th scope="row">{value}</th>
              <td>{provider}</td>
              <td>
                <a href={recordUrl(page, subject)}>{subject}</a>
              </td>
              <td class="admin-words">{[field, message].filter(Boolean).join(': ')}</td>
            </tr>
          ))}
        </AdminTable>
      )}
    </>
  )
}

interface RemarksProps {
  readonly rows: readonly unknown[] | undefined
  readonly none: TextKey
}

/** Says that a list is empty, or that it may go on. */
function Remarks({ rows, none }: RemarksProps) {
  if (rows?.length === 0) return <p class="quiet">{text(none)}</p>
  if (rows?.length === most) return <p class="quiet">{text('admin.newest', { count: most })}</p>
  return null
}
