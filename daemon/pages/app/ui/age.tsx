import { language } from '../../text/text.ts'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago something was; the exact time on a closer look. */
export function Age({ time }: { readonly time: string }) {
  const exact = new Date(time).toLocaleString()
  return (
    <time dateTime={time} title={exact}>
      {agoInWords((Date.parse(time) - Date.now()) / 1000)}
    </time>
  )
}

function agoInWords(seconds: number): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const unit = units.find(([, length]) => Math.abs(seconds) >= length)
  if (!unit) return format.format(0, 'second')
  return format.format(Math.round(seconds / unit[1]), unit[0])
}
