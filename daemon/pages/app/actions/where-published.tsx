import { text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import { recordUrl, type Page } from '../page.ts'

interface WherePublishedProps {
  readonly page: Page
  readonly deposit: Deposit
}

/** Where the record of a deposit is, and which one it goes on from. */
export function WherePublished({ page, deposit: { links } }: WherePublishedProps) {
  const record = links['record']
  const previous = links['previous_version']
  if (record === undefined && previous === undefined) return null
  return (
    <div class="card where">
      {record !== undefined && (
        <p>
          <span class="quiet">{text('where.record')}</span>
          <RecordLink page={page} url={record} />
        </p>
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

/** @param url of the record in the REST interface, which ends in its identifier */
function RecordLink({ page, url }: { readonly page: Page; readonly url: string }) {
  const value = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
  return <a href={recordUrl(page, value)}>{value}</a>
}
