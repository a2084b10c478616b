import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Deposit, DepositApi } from '../api/deposits.ts'
import { toIdentifiers, type KnownIdentifier } from './action-list.ts'
import { recordUrlOf, type Page } from '../api/page.ts'
import { Notice } from '../ui/messages.tsx'

interface WherePublishedProps {
  readonly page: Page
  readonly api: Pick<DepositApi, 'document'>
  readonly deposit: Deposit
}

/** Links to the record of a deposit, its identifiers, and the record before it. */
export function WherePublished({ page, api, deposit }: WherePublishedProps) {
  const { links } = deposit
  const identifiers = toIdentifiers(deposit.pids)
  const record = links['record']
  const previous = links['previous_version']
  const isCorrected = useCorrection(api, deposit)
  if (record === undefined && previous === undefined && identifiers.length === 0) return null
  return (
    <div class="card where">
      {record !== undefined && (
        <p>
          <span class="quiet">{text('where.record')}</span>
          <RecordLink page={page} url={record} />
        </p>
      )}
      {identifiers.map((identifier) => (
        <IdentifierLine key={identifier.kind} {...identifier} />
      ))}
      {deposit.withdrawn && (
        <Notice kind="warn">
          {text(deposit.withdrawn.bytes_destroyed ? 'where.destroyed' : 'where.withdrawn')}
        </Notice>
      )}
      {isCorrected && (
        <Notice kind="info">{text(`where.corrected.${deposit.metadata._deposit.status}`)}</Notice>
      )}
      {previous !== undefined && (
        <p>
          <span class="quiet">{text('where.previous')}</span>
          <RecordLink page={page} url={previous} />
        </p>
      )}
    </div>
  )
}

/** An identifier with its status; a link once it resolves. */
function IdentifierLine({ kind, value, url, status, registered, message }: KnownIdentifier) {
  const isLate = registered !== undefined && (status === 'pending' || status === 'refused')
  const resolves = status === 'registered' || isLate
  return (
    <p>
      <span class="quiet">{kind}</span>{' '}
      {resolves ? <a href={url}>{value}</a> : <span>{value}</span>}
      {status !== 'registered' && (
        <span class="quiet"> {text(isLate ? `pid.late.${status}` : `pid.${status}`)}</span>
      )}
      {status === 'refused' && <span class="quiet"> {message}</span>}
    </p>
  )
}

/** Whether a curator has corrected the record since: the deposit goes on showing its own text. */
function useCorrection(api: WherePublishedProps['api'], { links, metadata }: Deposit): boolean {
  const [latest, setLatest] = useState(0)
  const url = links['record']
  const { revision_id: own } = metadata._deposit
  useEffect(() => {
    if (url === undefined) return
    // A failure here is not worth a message: the correction is only a remark.
    void api.document(new URL(url).pathname).then(
      ({ revision }) => setLatest(revision),
      () => undefined,
    )
  }, [url, own])
  return url !== undefined && latest > own
}

/** @param url of the record in the REST interface, which ends in its identifier */
function RecordLink({ page, url }: { readonly page: Page; readonly url: string }) {
  const value = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
  return <a href={recordUrlOf(page, url)}>{value}</a>
}
