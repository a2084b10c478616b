import { counted, formatDay, formatSize, formatTime, language, text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import { kindOf, pageUrl, recordUrlOf } from '../api/page.ts'
import { fieldOf, isArray, type JsonObject } from '../api/json.ts'
import type { Page } from '../api/page.ts'
import { StatusBadge } from '../ui/messages.tsx'

interface DepositRowProps {
  readonly page: Page
  readonly deposit: Deposit
  readonly isSelected: boolean
  /** Told whether a draft is selected that its owner may delete. */
  readonly onSelect: (deposit: Deposit, isOn: boolean) => void
}

/** One deposit of the list. */
export function DepositRow({ page, deposit, isSelected, onSelect }: DepositRowProps) {
  const { id, metadata, files, updated, review, role } = deposit
  const [creators, kind] = [creatorsOf(metadata), kindOf(page, metadata.$schema)]
  const record = deposit.links['record']
  return (
    <li class={isDeletable(deposit) ? 'deposit-row selectable' : 'deposit-row'}>
      {isDeletable(deposit) && (
        <input
          type="checkbox"
          class="row-select"
          aria-label={text('list.select', { title: titleOf(deposit) })}
          checked={isSelected}
          onChange={({ currentTarget }) => onSelect(deposit, currentTarget.checked)}
        />
      )}
      <a class="row-link" href={pageUrl(page, id)}>
        {titleOf(deposit)}
      </a>
      <StatusBadge deposit={deposit} />
      <span class="row-facts">
        {creators !== '' && <span class="row-creators">{creators}</span>}
        {kind !== undefined && <span>{kind}</span>}
        {record === undefined ? (
          <code>{id.slice(0, 8)}</code>
        ) : (
          <a class="row-record" href={recordUrlOf(page, record)}>
            {text('list.record', { value: metadata._deposit.value })}
          </a>
        )}
        {role !== undefined && <span>{text('list.shared', { role: text(`role.${role}`) })}</span>}
        {files && (
          <span>
            {counted('files.count', files.count)}
            {files.count > 0 && `, ${formatSize(files.size)}`}
          </span>
        )}
        {review?.state === 'submitted' ? (
          <Age time={review.at} words="review.since" />
        ) : (
          <Age time={updated} />
        )}
      </span>
    </li>
  )
}

/** True of a draft of one's own that no record was made of, and that waits for nobody. */
function isDeletable({ metadata, links, role, review }: Deposit): boolean {
  const isDraft = metadata._deposit.status === 'draft' && links['record'] === undefined
  return isDraft && (role === undefined || role === 'owner') && review?.state !== 'submitted'
}

/** What the list calls a deposit. */
export function titleOf({ metadata, created }: Deposit): string {
  const { title } = metadata
  if (typeof title === 'string' && title !== '') return title
  return text('list.untitled', { day: formatDay(created) })
}

/** Creators that are named. */
const mostNamed = 3

function creatorsOf({ creators }: JsonObject): string {
  if (!isArray(creators)) return ''
  const names = creators.slice(0, mostNamed).flatMap((creator) => {
    const name = fieldOf(creator, 'name')
    return typeof name === 'string' && name !== '' ? [name] : []
  })
  const rest = creators.length - mostNamed
  return [...names, ...(rest > 0 ? [counted('card.others', rest)] : [])].join('; ')
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** A time as its age, with the exact time as its title. */
function Age({ time, words }: { readonly time: string; readonly words?: 'review.since' }) {
  const age = agoInWords((Date.parse(time) - Date.now()) / 1000)
  const exact = `${formatTime(time)} UTC`
  return (
    <time dateTime={time} title={exact}>
      {words === undefined ? age : text(words, { age })}
    </time>
  )
}

function agoInWords(seconds: number): string {
  const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' })
  const unit = units.find(([, length]) => Math.abs(seconds) >= length)
  if (!unit) return format.format(0, 'second')
  return format.format(Math.round(seconds / unit[1]), unit[0])
}
