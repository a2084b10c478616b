import { language } from './text.ts'

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Bytes in decimal units with three figures: `1.23 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), byteUnits.length - 1)
  const scaled = bytes / 1000 ** power
  const figures = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 }).format(scaled)
  return `${figures} ${byteUnits[power] ?? 'B'}`
}

/** A day in words, in UTC as all times of the service are: `20 November 2026`. */
export function formatDay(time: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(time),
  )
}

/** `English` for `en`; the tag itself where it is none that has a name. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
