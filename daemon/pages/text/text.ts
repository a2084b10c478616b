import { formatBytes } from '../../../core/base/amounts.ts'
import type { account } from './account.ts'
import type { addedNotes } from './added-notes.ts'
import type { adminViews } from './admin-views.ts'
import type { aside } from './aside.ts'
import type { conflict } from './conflict.ts'
import { en } from './en.ts'
import type { imports } from './imports.ts'
import type { listSelection } from './list-selection.ts'
import type { past } from './past.ts'
import type { pastDay } from './past-day.ts'
import type { previewWords } from './preview-words.ts'
import type { publishing } from './publishing.ts'
import type { uploads } from './uploads.ts'
import type { withdraw } from './withdraw.ts'
import { locales, type Language } from './languages.ts'
import { translatePhrase, type Phrases } from './phrases.ts'

/** Names of all texts. Another language is another table with these keys. */
export type TextKey =
  | keyof typeof en
  | keyof typeof account
  | keyof typeof addedNotes
  | keyof typeof adminViews
  | keyof typeof aside
  | keyof typeof conflict
  | keyof typeof imports
  | keyof typeof listSelection
  | keyof typeof past
  | keyof typeof pastDay
  | keyof typeof previewWords
  | keyof typeof publishing
  | keyof typeof uploads
  | keyof typeof withdraw

/** A language beside English. One without a text does not compile. */
export interface Translation {
  readonly texts: Readonly<Record<TextKey, string>>
  /** For what the service says in English elsewhere: labels of schemas, problems. */
  readonly phrases: Phrases
  /** Terms of DataCite's vocabularies. */
  readonly terms: Phrases
}

/** Looks up a text and fills its `{placeholders}`. */
type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string

const english: Partial<Record<TextKey, string>> = { ...en }
const translations = new Map<Language, Translation>()

let current: () => Language = () => 'en'

/** The language of the page that is being made or shown. */
export function language(): Language {
  return current()
}

/**
 * Answers what told it before.
 *
 * @param find tells the language at any moment: a daemon makes pages in several at a time
 */
export function followLanguage(find: () => Language): () => Language {
  const before = current
  current = find
  return before
}

export function addLanguage(tag: Language, translation: Translation): void {
  translations.set(tag, translation)
}

/** Adds the English texts of a part of the pages that is loaded when it is needed. */
export function addTexts(texts: Partial<Readonly<Record<TextKey, string>>>): void {
  Object.assign(english, texts)
}

/** Values are filled in as they are: a text is never read as markup. */
export const text: Translate = (key, values = {}) =>
  (translations.get(current())?.texts[key] ?? english[key] ?? key).replaceAll(
    /\{(\w+)\}/g,
    (placeholder, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )

/** An English text of the service that is in no table here, such as the label of a field; others stay as they are. */
export function translated(phrase: string): string {
  const phrases = translations.get(current())?.phrases
  return phrases === undefined ? phrase : translatePhrase(phrases, phrase, amountInWords)
}

/** `5,000` and `1.2 MB` as the language writes them; other text stays as it is. */
function amountInWords(part: string): string {
  if (/^\d{1,3}(?:,\d{3})+$/.test(part)) return formatNumber(Number(part.replaceAll(',', '')))
  return /^\d+\.\d+ [kMGT]?B$/.test(part) ? part.replace('.', decimalPoint()) : part
}

/** A term of a vocabulary; one that has no name in the language stays as it is. */
export function translatedTerm(term: string): string {
  const terms = translations.get(current())?.terms ?? {}
  return (Object.hasOwn(terms, term) ? terms[term] : undefined) ?? term
}

/** A text that depends on a number: `key.one` for one, `key.other` for all else. */
export function counted(
  key: CountedKey,
  count: number,
  values: Readonly<Record<string, string>> = {},
): string {
  const rule = new Intl.PluralRules(current()).select(count) === 'one' ? 'one' : 'other'
  return text(`${key}.${rule}`, { ...values, count: formatNumber(count) })
}

type CountedKey = TextKey extends infer Key
  ? Key extends `${infer Name}.one`
    ? Name
    : never
  : never

export function formatNumber(number: number): string {
  return number.toLocaleString(locales[current()])
}

/** Bytes for a person: `1.2 MB`, in German `1,2 MB`. */
export function formatSize(bytes: number): string {
  const size = formatBytes(bytes)
  return current() === 'en' ? size : size.replace('.', decimalPoint())
}

function decimalPoint(): string {
  const parts = new Intl.NumberFormat(locales[current()]).formatToParts(0.5)
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.'
}

/** A day in words, in UTC as all times of the service are: `20 November 2026`. */
export function formatDay(time: string): string {
  return inWords(time, { dateStyle: 'long' })
}

/** A time in words, in UTC: `20 November 2026, 14:05`. */
export function formatTime(time: string): string {
  return `${formatDay(time)}, ${inWords(time, { timeStyle: 'short' })}`
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
  return date.length === 10 ? formatDay(date) : inWords(date, { month: 'long', year: 'numeric' })
}

function inWords(time: string, form: Intl.DateTimeFormatOptions): string {
  const format = new Intl.DateTimeFormat(locales[current()], { ...form, timeZone: 'UTC' })
  return format.format(new Date(time))
}

/** `English` for `en`; the tag itself where it is none that has a name. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(current(), { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
