/** The languages of the pages by their BCP 47 tags, each with its name for itself. */
export const languages = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof languages

export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag)
}

/** How dates and numbers are written: English ones as in Britain, with the day before the month. */
export const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }
