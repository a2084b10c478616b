import { useEffect, useState } from 'preact/hooks'
import type { WithdrawalRequest } from '../../../../core/contract/withdrawal.ts'
import { counted, formatDay, text, type TextKey } from '../../text/text.ts'
import { WithdrawDialog } from '../actions/withdraw-dialog.tsx'
import { depositApi, type Deposit } from '../api/deposits.ts'
import { isArray, type JsonObject } from '../api/json.ts'
import { pageUrl, recordUrl } from '../api/page.ts'
import { say, sayFailure, StatusBadge } from '../ui/messages.tsx'
import { adminUrl, type AdminApi, type AdminViewProps } from './admin-api.ts'
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

const heads: readonly TextKey[] = [
  'admin.deposit',
  'admin.state',
  'admin.owners',
  'admin.changed',
  'admin.record',
  'admin.do',
]

const statuses = ['draft', 'published'] as const

/** The deposits of all users: opened, withdrawn and restored. */
export function DepositsView({ page, api }: AdminViewProps) {
  const filter = askedFilter('q', 'status')
  const number = askedPage()
  const { found, failure, reload } = useAnswer(() =>
    api.deposits({ ...withoutEmpty(filter), page: String(number), size: String(rowsOfPage) }),
  )
  const [withdrawing, setWithdrawing] = useState<Deposit>()
  const hits = found?.hits.hits ?? []
  const owners = useOwners(api, hits)
  const run = async (deposit: Deposit, action: string, done: TextKey, body?: JsonObject) => {
    setWithdrawing(undefined)
    try {
      await depositApi(page).run(deposit.id, action, body)
      say(text(done, { value: deposit.metadata._deposit.value }))
    } catch (error) {
      sayFailure(error)
    }
    await reload()
  }
  const withdraw = (deposit: Deposit, request: WithdrawalRequest) =>
    run(deposit, 'withdraw', 'admin.withdrawn', { ...request })
  return (
    <>
      <FilterForm isFiltered={filter.q !== '' || filter.status !== ''}>
        <label>
          {text('list.search')}
          <input
            type="search"
            name="q"
            autocomplete="off"
            placeholder={text('admin.searchDeposits')}
            defaultValue={filter.q}
          />
        </label>
        <label>
          {text('admin.status')}
          <select name="status" defaultValue={filter.status}>
            <option value="">{text('admin.anyStatus')}</option>
            {statuses.map((status) => (
              <option key={status} value={status} selected={status === filter.status}>
                {text(`status.${status}`)}
              </option>
            ))}
          </select>
        </label>
      </FilterForm>
      <AnswerState failure={failure} isThere={found !== undefined} />
      {found && (
        <>
          <p class="quiet" role="status">
            {counted('admin.foundDeposits', found.hits.total)}
          </p>
          <AdminTable name={text('admin.deposits')} heads={heads.map((head) => text(head))}>
            {hits.map((deposit) => (
              <tr key={deposit.id}>
                <th scope="row">
                  <a href={pageUrl(page, deposit.id)}>{titleOf(deposit)}</a>
                </th>
                <td>
                  <StatusBadge deposit={deposit} />
                </td>
                <td>
                  {ownersOf(deposit)
                    .map((id) => owners.get(id) ?? id)
                    .join(', ')}
                </td>
                <td>{formatDay(deposit.updated)}</td>
                <td>
                  {wasPublished(deposit) && (
                    <a href={recordUrl(page, deposit.metadata._deposit.value)}>
                      {deposit.metadata._deposit.value}
                    </a>
                  )}
                </td>
                <td class="admin-do">
                  {isWithdrawable(deposit) && (
                    <button type="button" class="danger" onClick={() => setWithdrawing(deposit)}>
                      {text('admin.withdraw')}
                      <span class="visually-hidden"> {titleOf(deposit)}</span>
                    </button>
                  )}
                  {deposit.withdrawn && !deposit.withdrawn.bytes_destroyed && (
                    <button
                      type="button"
                      onClick={() => void run(deposit, 'restore-record', 'admin.restored')}
                    >
                      {text('admin.restore')}
                      <span class="visually-hidden"> {titleOf(deposit)}</span>
                    </button>
                  )}
                  <a href={adminUrl(page, 'audit', { deposit: deposit.id })}>
                    {text('admin.trail')}
                    <span class="visually-hidden"> {titleOf(deposit)}</span>
                  </a>
                </td>
              </tr>
            ))}
          </AdminTable>
          <PageLinks page={number} total={found.hits.total} />
        </>
      )}
      {withdrawing && (
        <WithdrawDialog
          onConfirm={(request) => void withdraw(withdrawing, request)}
          onClose={() => setWithdrawing(undefined)}
        />
      )}
    </>
  )
}

export function titleOf({ metadata }: Deposit): string {
  const title = metadata['title']
  return typeof title === 'string' && title !== '' ? title : text('untitled')
}

function wasPublished({ metadata }: Deposit): boolean {
  return typeof metadata._deposit.value === 'string'
}

/** An open edit has a record behind it, which is withdrawn when it is published or discarded. */
function isWithdrawable({ metadata, withdrawn }: Deposit): boolean {
  return metadata._deposit.status === 'published' && !withdrawn
}

export function ownersOf({ metadata }: Deposit): readonly string[] {
  const { owners } = metadata._deposit
  return isArray(owners) ? owners.filter((id) => typeof id === 'string') : []
}

/** E-mail addresses of the owners that a page names, each asked for once. */
export function useOwners(
  api: AdminApi,
  deposits: readonly Deposit[],
): ReadonlyMap<string, string> {
  const [emails, setEmails] = useState<ReadonlyMap<string, string>>(new Map())
  const ids = [...new Set(deposits.flatMap(ownersOf))]
  useEffect(() => {
    const missing = ids.filter((id) => !emails.has(id))
    if (missing.length === 0) return
    // An account that is gone has no address; its id is shown.
    const asked = missing.map((id) => api.user(id).catch(() => undefined))
    void Promise.all(asked).then((users) => {
      const known = users.flatMap((user) => (user ? [[user.id, user.email] as const] : []))
      setEmails((before) => new Map([...before, ...known]))
    })
  }, [ids.join(' ')])
  return emails
}
