import { formatDate, text } from './text.ts'

/** Who may have files, as the field `access` of a document says. */
interface SaidAccess {
  readonly files: 'public' | 'restricted'
  readonly until?: string
}

/** Who may have the files, in words. */
export function accessLine({ files, until }: SaidAccess): string {
  if (files === 'public') return text('access.everybody')
  return until === undefined
    ? text('record.restricted')
    : text('record.opens', { day: formatDate(until) })
}
