import { isLanguage, type Language } from '../text/languages.ts'
import { addLanguage, followLanguage, type Translation } from '../text/text.ts'

/** Each language but English comes as a file of its own. */
const loaders: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Translation>>> = {
  de: async () => (await import('../text/de/de.ts')).de,
}

/** Makes all texts those of the language in which the daemon made the page. */
export async function speakLanguageOfPage(): Promise<void> {
  const { lang } = document.documentElement
  if (!isLanguage(lang) || lang === 'en') return
  addLanguage(lang, await loaders[lang]())
  followLanguage(() => lang)
}
