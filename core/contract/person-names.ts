/** The parts of a name. */
export interface NameParts {
  readonly family: string | undefined
  readonly given: string | undefined
  /** `Jr.` or `III`: it is no part of the others. */
  readonly suffix?: string | undefined
}

const unknownParts: NameParts = { family: undefined, given: undefined }

/**
 * `Family, Given`, `Family, Given, Jr.` or BibTeX's `Family, Jr., Given` in its parts: none of them
 * where it is the name of an organization.
 *
 * @param isPerson true where something else says so, such as an ORCID iD
 */
export function splitName(name: string, isPerson: boolean): NameParts {
  const [before = '', ...rest] = partsOf(name)
  const named = rest.filter((part) => !isSuffix(part))
  const [suffix, ...others] = rest.filter(isSuffix)
  const [given = ''] = named
  if (named.length > 1 || others.length > 0) return unknownParts
  // "Sammy Davis, Jr." does not tell where the family name begins.
  if (suffix !== undefined && given === '') return { ...unknownParts, suffix }
  const isKnown = suffix !== undefined || isPerson || !isOrganization(name)
  if (before === '' || given === '' || !isKnown) return unknownParts
  return withSuffix(before, given, suffix)
}

/**
 * The parts that a document names, with the suffix in a field of its own: documents have it after the
 * family name, the given names, or the whole name.
 */
export function toParts(name: string, { family, given }: NameParts): NameParts {
  const last = partsOf(name).at(-1) ?? ''
  const suffix = name.includes(',') && last !== given && isSuffix(last) ? last : undefined
  return family === undefined ? { family, given, suffix } : withSuffix(family, given, suffix)
}

function partsOf(name: string): readonly string[] {
  return name.split(',').map((part) => part.trim())
}

function withSuffix(family: string, given: string | undefined, suffix?: string): NameParts {
  const [ofFamily, ofGiven] = [atEnd.exec(family), atEnd.exec(given ?? '')]
  const found = suffix ?? ofFamily?.[2] ?? ofGiven?.[2]
  if (found === undefined) return { family, given }
  return { family: ofFamily?.[1] ?? family, given: ofGiven?.[1] ?? given, suffix: found }
}

function isSuffix(part: string): boolean {
  return /^(?:[js]n?r\.?|I{2,3}|IV|VI{0,3})$/i.test(part)
}

/** After a space alone, fewer letters are a suffix: the `V` of "Nguyen V" is a name. */
const atEnd = /^(.*[^\s,])(?:,\s*|\s+)([JSjs]n?r\.?|III?|IV)$/

/** True for a name with a word that no person is called by. */
export function isOrganization(name: string): boolean {
  return ofOrganization.test(name)
}

/** Words that no person is called by: `University of California, Berkeley` is no Berkeley. */
const ofOrganization =
  /\b(?:of|for|and|universi\p{L}+|instit\p{L}+|cent(?:er|re)|department|faculty|laborator\p{L}+|agency|ministry|council|society|foundation|project|team|group|collaboration|consortium|inc|ltd|gmbh)\b|&/iu

/** `Family, Given, Jr.`; the whole of the name where its parts are not known. */
export function sortedName(whole: string, { family, given, suffix }: NameParts): string {
  if (family === undefined || given === undefined) return whole
  return [family, given, suffix].filter((part) => part !== undefined).join(', ')
}

/** `Given Family` in its parts; a particle such as `van der` belongs to the family name. */
export function splitSpokenName(name: string): NameParts {
  const words = name.trim().split(/\s+/)
  const particle = words.findIndex((word, at) => at > 0 && /^\p{Ll}/u.test(word))
  const first = particle === -1 ? words.length - 1 : particle
  if (first < 1) return unknownParts
  return { family: words.slice(first).join(' '), given: words.slice(0, first).join(' ') }
}
