import { formatDate, text } from './text.ts'

/** Who may have files, as the field `access` of a document says. */
interface SaidAccess {
  readonly files: 'public' | 'restricted'
  readonly until?: string
}

/**
 * Who may have the files, in words; of those that a day has opened, since when.
 *
 * @param today `YYYY-MM-DD`, UTC, or a time of it
 */
export function accessLine({ files, until }: SaidAccess, today: string): string {
  if (files === 'public') return text('access.everybody')
  if (until === undefined) return text('record.restricted')
  const isOpen = until <= today.slice(0, 10)
  return text(isOpen ? 'record.opened' : 'record.opens', { day: formatDate(until) })
}
