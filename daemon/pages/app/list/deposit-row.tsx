import { counted, text } from '../../text/text.ts'
import { formatBytes } from '../../text/units.ts'
import type { Deposit } from '../api/deposits.ts'
import { pageUrl, type Page } from '../api/page.ts'
import { Age } from '../ui/age.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'

interface DepositRowProps {
  readonly page: Page
  readonly deposit: Deposit
}

/** One deposit of the list. */
export function DepositRow({ page, deposit }: DepositRowProps) {
  const { id, metadata, files, updated } = deposit
  const title = metadata['title']
  return (
    <li class="deposit-row">
      <a class="row-link" href={pageUrl(page, id)}>
        {typeof title === 'string' && title !== '' ? title : text('untitled')}
      </a>
      <StatusBadge status={metadata._deposit.status} />
      <span class="row-facts">
        <code>{id.slice(0, 8)}</code>
        {files && (
          <span>
            {counted('files.count', files.count)}
            {files.count > 0 && `, ${formatBytes(files.size)}`}
          </span>
        )}
        <Age time={updated} />
      </span>
    </li>
  )
}
