import { UsageFailure } from '../failure.ts'

const steps = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Bytes for a person: three digits and a decimal unit. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), steps.length - 1)
  const value = bytes / 1000 ** power
  const digits = power === 0 || value >= 99.95 ? 0 : 1
  return `${value.toFixed(digits)} ${steps[power] ?? 'B'}`
}

/** `1,234`: by hand, for `toLocaleString` first loads what it knows of all languages. */
export function grouped(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 file`, `12 files`; English plurals that end in `s`. */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** Seconds for a person: `42 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–'
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

const lengths = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/**
 * Seconds of a duration such as `30d`, `12h`, `15m` or `90s`.
 *
 * @param option whose value it is
 * @throws {UsageFailure} it is none
 */
export function parseSeconds(option: string, text: string): number {
  const [, number = '', unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd')
    return Number(number) * lengths[unit]
  throw new UsageFailure({
    tried: `understand ${option}`,
    said: `"${text}" is not a duration`,
    next: 'write 30d, 12h or 15m',
  })
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

/** How long ago `time` (ISO 8601) was: `3 days ago`. */
export function formatAge(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000
  const found = ages.find(([, length]) => seconds >= length)
  if (found === undefined) return 'just now'
  return `${count(Math.floor(seconds / found[1]), found[0])} ago`
}
