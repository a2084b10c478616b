import { text } from '../../text/text.ts'
import type { ListRequest } from './list-request.ts'

interface FacetsProps {
  readonly chosen: ListRequest['status']
  readonly buckets: readonly { readonly key: string; readonly doc_count: number }[]
  readonly onChoose: (status: ListRequest['status']) => void
}

const statuses = ['', 'draft', 'published'] as const

/** All, or those of one status; each with how many there are. */
export function Facets({ chosen, buckets, onChoose }: FacetsProps) {
  const count = (status: string): number =>
    buckets
      .filter(({ key }) => status === '' || key === status)
      .reduce((sum, bucket) => sum + bucket.doc_count, 0)
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{text('list.status')}</legend>
      {statuses.map((status) => (
        <label key={status} class="segment">
          <input
            type="radio"
            name="status"
            class="visually-hidden"
            checked={chosen === status}
            onChange={() => onChoose(status)}
          />
          <span>
            {text(status === '' ? 'list.all' : `status.${status}`)}{' '}
            <small>{count(status).toLocaleString()}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
