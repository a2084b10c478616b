import { text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'

/** Where the record of a deposit is, and which one it goes on from. */
export function WherePublished({ deposit: { links } }: { readonly deposit: Deposit }) {
  const record = links['record_html'] ?? links['record']
  const previous = links['previous_version']
  if (record === undefined && previous === undefined) return null
  return (
    <div class="card where">
      {record !== undefined && (
        <p>
          <span class="quiet">{text('where.record')}</span>
          <a href={toPage(record)}>{lastSegment(record)}</a>
        </p>
      )}
      {previous !== undefined && (
        <p>
          <span class="quiet">{text('where.previous')}</span>
          <a href={toPage(previous)}>{lastSegment(previous)}</a>
        </p>
      )}
    </div>
  )
}

function lastSegment(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
}

function toPage(url: string): string {
  return `/records/${encodeURIComponent(lastSegment(url))}`
}
