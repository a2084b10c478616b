import { contributorTypes, relationTypes } from './datacite.ts'

/** Formats of the package's schemas, beside those of JSON Schema itself. Operators may use them. */
export const metadataFormats: Readonly<Record<string, (text: string) => boolean>> = {
  orcid: isOrcid,
  'partial-date': isPartialDate,
  'date-or-period': isDateOrPeriod,
  'language-tag': isLanguageTag,
  'relation-type': (text) => relationTypes.has(text.toLowerCase()),
  'contributor-type': (text) => contributorTypes.has(text.toLowerCase()),
}

/** Sixteen digits of which the last is a checksum. @see ISO 7064, MOD 11-2 */
function isOrcid(text: string): boolean {
  const [, id] = /^(?:https?:\/\/orcid\.org\/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/.exec(text) ?? []
  if (id === undefined) return false
  const digits = id.replaceAll('-', '')
  const total = Array.from(digits.slice(0, -1)).reduce((sum, digit) => (sum + Number(digit)) * 2, 0)
  const check = (12 - (total % 11)) % 11
  return digits.endsWith(check === 10 ? 'X' : String(check))
}

/** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, of a day that exists. */
export function isPartialDate(text: string): boolean {
  if (!/^\d{4}(?:-\d{2}){0,2}$/.test(text)) return false
  const [year, month = '01', day = '01'] = text.split('-')
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  // JavaScript reads 30 February as 2 March: only a real day stays the same.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`)
}

/** A date, or two of them with a slash between, of which one may be open. */
export function isDateOrPeriod(text: string): boolean {
  const ends = text.split('/')
  if (ends.length === 1) return isPartialDate(text)
  return ends.length === 2 && text !== '/' && ends.every((end) => end === '' || isPartialDate(end))
}

/** Well-formed by BCP 47, known or not. */
function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
