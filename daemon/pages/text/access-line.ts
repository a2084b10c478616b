import { toFileAccess } from '../../../core/contract/file-access.ts'
import { formatDate, text } from './text.ts'

/** Who may have the files, by the field `access` of a document; empty where it has other words. */
export function accessLine(access: unknown): string {
  const { files, until } = toFileAccess(access)
  const { files: said } = access as { readonly files?: unknown }
  if (files === 'public') return said === 'public' ? text('access.everybody') : ''
  if (until === undefined) return text('record.restricted')
  return text('record.opens', { day: formatDate(until) })
}
