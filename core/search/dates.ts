/** The time a date of some precision covers, in milliseconds since 1970; `end` is not part of it. */
export interface DateSpan {
  readonly start: number
  readonly end: number
}

const pattern =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

/**
 * Reads a year, a month, a day or a time of ISO 8601; without an offset it is in UTC. Undefined for
 * anything else, and for days that are not in the calendar.
 */
export function parseDateSpan(text: string): DateSpan | undefined {
  const parts = pattern.exec(text)
  if (!parts) return undefined
  const [, year = '', month = '01', day = '01', hour = '00', minute = '00', second = '00'] = parts
  const milliseconds = (parts[7] ?? '').slice(0, 3).padEnd(3, '0')
  const midnight = Date.parse(`${year}-${month}-${day}T00:00:00.000Z`)
  if (!isDay(midnight, Number(day))) return undefined
  const time = `${hour}:${minute}:${second}.${milliseconds}${parts[8] ?? 'Z'}`
  const start = Date.parse(`${year}-${month}-${day}T${time}`)
  return Number.isNaN(start) ? undefined : { start, end: endOf(start, parts) }
}

/** `Date` takes 30 February for 2 March. */
function isDay(midnight: number, day: number): boolean {
  return new Date(midnight).getUTCDate() === day
}

function endOf(start: number, parts: RegExpExecArray): number {
  const [, , month, day, hour, , second, fraction] = parts
  if (fraction !== undefined) return start + 1
  if (second !== undefined) return start + 1_000
  if (hour !== undefined) return start + 60_000
  if (day !== undefined) return start + 86_400_000
  const date = new Date(start)
  return month === undefined
    ? date.setUTCFullYear(date.getUTCFullYear() + 1)
    : date.setUTCMonth(date.getUTCMonth() + 1)
}
