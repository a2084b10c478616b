import { text } from '../../text/text.ts'
import { sortNames, type ListRequest, type SortName } from './list-request.ts'

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
