import type { adminViews } from './admin-views.ts'
import { en } from './en.ts'

/** Names of all texts. Another language is another table with these keys. */
export type TextKey = keyof typeof en | keyof typeof adminViews

/** Looks up a text and fills its `{placeholders}`. */
type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string

/** The language the pages are in, as a BCP 47 tag. */
export const language = 'en'

const known: Partial<Record<TextKey, string>> = { ...en }

/** Adds the texts of a part of the pages that is loaded when it is needed. */
export function addTexts(texts: Partial<Readonly<Record<TextKey, string>>>): void {
  Object.assign(known, texts)
}

/** Values are filled in as they are: a text is never read as markup. */
export const text: Translate = (key, values = {}) =>
  (known[key] ?? key).replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )

/** A text that depends on a number: `key.one` for one, `key.other` for all else. */
export function counted(key: CountedKey, count: number): string {
  const rule = new Intl.PluralRules(language).select(count) === 'one' ? 'one' : 'other'
  return text(`${key}.${rule}`, { count: count.toLocaleString(language) })
}

type CountedKey = TextKey extends infer Key
  ? Key extends `${infer Name}.one`
    ? Name
    : never
  : never

/** A day in words, in UTC as all times of the service are: `20 November 2026`. */
export function formatDay(time: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(time),
  )
}

/** A time in words, in UTC: `20 November 2026, 14:05`. */
export function formatTime(time: string): string {
  const form = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat('en-GB', form).format(new Date(time)).replace(' at ', ', ')
}

/**
 * A day, a month, a year, or a period of them, in words: `20 November 2026`, `November 2026`, `2026`,
 * `2024 to 2025`. Other text stays as it is.
 */
export function formatDate(date: string): string {
  const ends = date.split('/')
  if (ends.length === 2) {
    const [from = '', to = ''] = ends.map(formatDate)
    if (from !== '' && to !== '') return text('date.period', { from, to })
    return from === '' ? text('date.until', { to }) : text('date.since', { from })
  }
  const isDate = /^\d{4}-\d{2}(?:-\d{2})?$/.test(date) && !Number.isNaN(Date.parse(date))
  if (!isDate) return date
  if (date.length === 10) return formatDay(date)
  const form = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat('en-GB', form).format(new Date(date))
}

/** `English` for `en`; the tag itself where it is none that has a name. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
