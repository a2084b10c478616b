import { useEffect, useRef } from 'preact/hooks'
import { formatNumber, text } from '../../text/text.ts'
import { sortNames } from './list-request.ts'
import type { ListRequest, SortName } from './list-request.ts'

interface SearchFieldProps {
  readonly value: string
  readonly isBusy: boolean
  readonly onChange: (value: string) => void
  /** The arrow key that leads into the list. */
  readonly onDown: () => void
}

/** Looks for deposits as one types; Ctrl+K (⌘K) leads here from anywhere on the page. */
export function SearchField({ value, isBusy, onChange, onDown }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      field.current?.select()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  return (
    <div class="search-field" aria-busy={isBusy}>
      <label class="visually-hidden" for="search">
        {text('list.search')}
      </label>
      <input
        ref={field}
        id="search"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={text('list.searchHint')}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          onDown()
        }}
      />
      <kbd aria-hidden="true">{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
    </div>
  )
}

interface SortChoiceProps {
  readonly request: ListRequest
  readonly onChoose: (sort: SortName) => void
}

/** The order of what was found: the best match first where something was looked for. */
export function SortChoice({ request: { q, sort }, onChoose }: SortChoiceProps) {
  const preset = q.trim() === '' ? 'mostrecent' : 'bestmatch'
  return (
    <label class="sort-choice">
      <span class="visually-hidden">{text('list.sort')}</span>
      <select
        value={sort || preset}
        onChange={(event) => {
          const chosen = sortNames.find((name) => name === event.currentTarget.value)
          if (chosen) onChoose(chosen)
        }}
      >
        {sortNames.map((name) => (
          <option key={name} value={name}>
            {text(`sort.${name}`)}
          </option>
        ))}
      </select>
    </label>
  )
}

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
            <small>{formatNumber(count(status))}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
