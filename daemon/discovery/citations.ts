import { text } from '../pages/text/text.ts'
import { nameParts, type Bibliography, type Creator } from './bibliography.ts'
import { toBibtex, toRis } from './exports.ts'

/** A citation in one of the styles or formats people paste. */
export interface Citation {
  readonly id: string
  readonly name: string
  readonly content: string
  /** True where line breaks count. */
  readonly isSource: boolean
  /** True for the one that is shown first. */
  readonly isFirst: boolean
}

/** The citation of a record: as a sentence in three styles, and in two formats of programs. */
export function toCitations(about: Bibliography): readonly Citation[] {
  const sentence = { isSource: false, isFirst: false }
  const source = { isSource: true, isFirst: false }
  return [
    { ...sentence, id: 'apa', name: 'APA', content: toApa(about), isFirst: true },
    { ...sentence, id: 'chicago', name: 'Chicago', content: toChicago(about) },
    { ...sentence, id: 'datacite', name: 'DataCite', content: toDataCite(about) },
    { ...source, id: 'bibtex', name: 'BibTeX', content: toBibtex(about) },
    { ...source, id: 'ris', name: 'RIS', content: toRis(about) },
  ]
}

/** @see Publication Manual of the APA, 7th edition, §10.9 "Data Sets" */
function toApa({ title, creators, year, version, resourceType, url }: Bibliography): string {
  const names = listed(creators.map(familyFirst), ', & ', 20)
  const edition = version && ` (${text('cite.version', { version })})`
  const kind = resourceType && ` [${capitalized(resourceType)}]`
  if (names === '') return `${title}${edition}${kind}. (${year}). ${url}`
  return `${ended(names)} (${year}). ${title}${edition}${kind}. ${url}`
}

/** @see Chicago Manual of Style, 17th edition, §14.257 */
function toChicago({ title, creators, year, version, url }: Bibliography): string {
  const [first, ...others] = creators
  const names = first ? listed([first.name, ...others.map(givenFirst)], ', and ', 10) : ''
  const edition = version && ` ${text('cite.version', { version })}.`
  return `${names && `${ended(names)} `}${year}. “${title}.”${edition} ${url}.`
}

/** @see DataCite Metadata Schema 4.6, §2.2 "Citation" */
function toDataCite({ title, creators, year, version, resourceType, url }: Bibliography): string {
  const names = creators.map(({ name }) => name).join('; ')
  const edition = version && text('cite.version', { version })
  const parts = [title, edition, capitalized(resourceType)].filter(Boolean)
  return `${names && `${names} `}(${year}): ${parts.join('. ')}. ${url}`
}

/** `Lovelace, A. K.`; an organisation as it is. */
function familyFirst(creator: Creator): string {
  const { family, given } = nameParts(creator)
  const initials = given
    .split(/[\s.]+/)
    .filter(Boolean)
    .map((name) => `${String.fromCodePoint(name.codePointAt(0) ?? 32)}.`)
  return [family, initials.join(' ')].filter(Boolean).join(', ')
}

function givenFirst(creator: Creator): string {
  const { family, given } = nameParts(creator)
  return `${given} ${family}`.trim()
}

/** `a, b, & c`; more than `most` names are cut. */
function listed(names: readonly string[], last: string, most: number): string {
  if (names.length > most) return `${names.slice(0, most - 1).join(', ')}, et al.`
  if (names.length < 2) return names.join('')
  return names.slice(0, -1).join(', ') + last + (names.at(-1) ?? '')
}

function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
