import { count, formatBytes, grouped } from '../../core/base/amounts.ts'

export { count, formatBytes, grouped }

/** The first `most` items of a list; the others are counted: `and 3 more`. */
export function firstOf(texts: readonly string[], most: number): readonly string[] {
  const more = texts.length - most
  return more > 0 ? [...texts.slice(0, most), `and ${more} more`] : texts
}

/** Seconds for a person: `42 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–'
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

/** A time (ISO 8601) for a person: `2026-11-22 08:04 UTC`. */
export function formatTime(time: string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

const ages = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** The age of `time` (ISO 8601): `3 days ago`. */
export function formatAge(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000
  const found = ages.find(([, length]) => seconds >= length)
  if (found === undefined) return 'just now'
  return `${count(Math.floor(seconds / found[1]), found[0])} ago`
}
