import { en } from './en.ts'

/** Names of all texts. Another language is another table with these keys. */
export type TextKey = keyof typeof en

/** Every text of the pages in one language. */
export type Catalogue = Readonly<Record<TextKey, string>>

/** Looks up a text and fills its `{placeholders}`. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string

/** The language the pages are in, as a BCP 47 tag. */
export const language = 'en'

export const text: Translate = translateWith(en)

/** Values are filled in as they are: a text is never read as markup. */
function translateWith(catalogue: Catalogue): Translate {
  return (key, values = {}) =>
    catalogue[key].replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : placeholder,
    )
}

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

/** `English` for `en`; the tag itself where it is none that has a name. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
