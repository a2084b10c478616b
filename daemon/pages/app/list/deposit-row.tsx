import { counted, formatSize, formatTime, language, text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import { kindOf, pageUrl, recordUrlOf } from '../api/page.ts'
import { fieldOf, isArray, type JsonObject } from '../api/json.ts'
import type { Page } from '../api/page.ts'
import { StatusBadge } from '../ui/messages.tsx'

interface DepositRowProps {
  readonly page: Page
  readonly deposit: Deposit
}

/** One deposit of the list. */
export function DepositRow({ page, deposit }: DepositRowProps) {
  const { id, metadata, files, updated, review, role } = deposit
  const title = metadata['title']
  const [creators, kind] = [creatorsOf(metadata), kindOf(page, metadata.$schema)]
  const record = deposit.links['record']
  return (
    <li class="deposit-row">
      <a class="row-link" href={pageUrl(page, id)}>
        {typeof title === 'string' && title !== '' ? title : text('untitled')}
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
