import { language, text } from '../../text/text.ts'
import { pageSize } from './list-request.ts'

interface PagingProps {
  readonly page: number
  readonly total: number
  readonly onTurn: (page: number) => void
}

export function Paging({ page, total, onTurn }: PagingProps) {
  if (total <= pageSize) return null
  const last = Math.ceil(total / pageSize)
  const [from, to] = [(page - 1) * pageSize + 1, Math.min(page * pageSize, total)]
  return (
    <nav class="paging" aria-label={text('paging.label')}>
      <button type="button" disabled={page <= 1} onClick={() => onTurn(page - 1)}>
        {text('paging.previous')}
      </button>
      <span aria-live="polite">
        {text('paging.shown', { from, to, total: total.toLocaleString(language) })}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onTurn(page + 1)}>
        {text('paging.next')}
      </button>
    </nav>
  )
}
