import { text } from '../../text/text.ts'

/** A status by colour, shape and word. */
export function StatusBadge({ status }: { readonly status: 'draft' | 'published' }) {
  return <span class={`badge ${status}`}>{text(`status.${status}`)}</span>
}
