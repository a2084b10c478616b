import { citationStyles, type CitationStyle } from '../contract/exports.ts'
import type { Agent, Description } from '../describe/description.ts'
import { publicAddress, standingNote, untitled, type ExportFormat } from './format.ts'

type Style = (about: Cited) => string

/** The parts of a citation, in the words that it uses. */
interface Cited {
  readonly title: string
  readonly creators: readonly Agent[]
  readonly year: string
  readonly date: string
  readonly publisher: string
  /** `Version 1.0`, or nothing. */
  readonly version: string
  readonly kind: string
  readonly url: string
}

const styles: Readonly<Record<CitationStyle, { readonly title: string; readonly cite: Style }>> = {
  apa: { title: 'APA', cite: toApa },
  chicago: { title: 'Chicago', cite: toChicago },
  harvard: { title: 'Harvard', cite: toHarvard },
  ieee: { title: 'IEEE', cite: toIeee },
  vancouver: { title: 'Vancouver', cite: toVancouver },
  datacite: { title: 'DataCite', cite: toDataCite },
}

/** A reference as a sentence, without markup. */
export const citation: ExportFormat = {
  name: 'citation',
  title: 'Citation',
  mediaTypes: citationStyles.map((style) => `text/x-bibliography; style=${style}`),
  extension: '.txt',
  styles: citationStyles,
  write: (about, style = citationStyles[0]) => `${cite(about, style)}\n`,
}

/** The sentence in a style. */
export function cite(about: Description, style: string): string {
  return styles[nameOf(style)].cite({
    title: about.title ?? untitled,
    creators: about.creators,
    year: about.year,
    date: about.date,
    publisher: about.publisher.name,
    version: about.version === undefined ? '' : `Version ${about.version}`,
    kind: about.resourceType ? kindOf(about.resourceType.general, about.resourceType.id) : '',
    url: addressOf(about),
  })
}

/** With a note in brackets where nobody else can follow it. */
function addressOf(about: Description): string {
  const note = standingNote(about)
  const parts = [publicAddress(about), note && `[${note}]`]
  return parts.filter((part) => part !== undefined).join(' ')
}

/** Name of a style for people. */
export function styleTitle(style: string): string {
  return styles[nameOf(style)].title
}

/** An unknown style is the usual one. */
function nameOf(style: string): CitationStyle {
  return citationStyles.find((each) => each === style) ?? citationStyles[0]
}

/** `Dataset` and `Journal article`, as words. */
function kindOf(general: string, id: string): string {
  if (general === 'Other') return capitalized(id)
  return capitalized(general.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase())
}

/**
 * Of more than 20 names the first 19 and the last are named.
 *
 * @see Publication Manual of the APA, 7th edition, §9.8 and §10.9 "Data Sets"
 */
function toApa({ title, creators, year, version, kind, publisher, url }: Cited): string {
  const all = creators.map((creator) => familyFirst(creator, spaced))
  const names =
    all.length > 20 ? `${all.slice(0, 19).join(', ')}, … ${all.at(-1) ?? ''}` : listed(all, ', & ')
  const described = apaKinds.get(kind) ?? kind
  const named = `${title}${version && ` (${version})`}${described && ` [${described}]`}`
  const end = `${ended(publisher)} ${url}`
  if (names === '') return `${named}. (${year}). ${end}`
  return `${ended(names)} (${year}). ${ended(named)} ${end}`
}

/** The words of the APA for a type. */
const apaKinds: ReadonlyMap<string, string> = new Map([
  ['Dataset', 'Data set'],
  ['Software', 'Computer software'],
])

/**
 * Of more than 10 names the first seven are named; without a name the title comes first.
 *
 * @see Chicago Manual of Style, 17th edition, §14.76, §14.257 and §15.9
 */
function toChicago({ title, creators, year, version, publisher, url }: Cited): string {
  const [first, ...others] = creators
  const all = first ? [first.name, ...others.map(givenFirst)] : []
  const last = all.length === 2 && first?.family === undefined ? ' and ' : ', and '
  const names = all.length > 10 ? `${all.slice(0, 7).join(', ')}, et al.` : listed(all, last)
  const named = `“${ended(title)}”`
  const start = names === '' ? `${named} ${year}.` : `${ended(names)} ${year}. ${named}`
  return `${start}${version && ` ${ended(version)}`} ${ended(publisher)} ${url}.`
}

/** @see Cite Them Right, 12th edition, "Datasets" */
function toHarvard({ title, creators, year, version, kind, publisher, url }: Cited): string {
  const names = creators.map((creator) => familyFirst(creator, joined))
  const all = names.length > 3 ? `${names[0] ?? ''} et al.` : listed(names, ' and ')
  const start = names.length === 0 ? `‘${title}’ (${year})` : `${all} (${year}) ‘${title}’`
  const named = `${start}${version && ` (${version})`}${kind && ` [${kind}]`}`
  return `${named}. ${ended(publisher)} Available at: ${url}.`
}

/** @see IEEE Reference Guide, "Datasets" */
function toIeee({ title, creators, date, version, publisher, url }: Cited): string {
  const names = creators.map((creator) => {
    const { family, given, suffix } = partsOf(creator)
    return [spaced(given), family, suffix].filter(Boolean).join(' ')
  })
  const all = names.length > 6 ? `${names[0] ?? ''} et al.` : listed(names, lastOf(names))
  const parts = [version, publisher, dayOf(date)].filter(Boolean).join(', ')
  const named = /[.!?]$/.test(title) ? title : `${title},`
  return `${all && `${all}, `}“${named}” ${ended(parts)} [Online]. Available: ${url}`
}

/** @see Citing Medicine, 2nd edition, chapter 22 */
function toVancouver({ title, creators, year, version, kind, publisher, url }: Cited): string {
  const names = creators.map((creator) => {
    const { family, given, suffix } = partsOf(creator)
    const initials = isWhole(given) ? given : initialsOf(given).flat().join('')
    return [family, initials, suffix.replace('.', '')].filter(Boolean).join(' ')
  })
  const all = names.length > 6 ? [...names.slice(0, 6), 'et al'] : names
  const named = ended(`${title}${kind && ` [${kind.toLowerCase()}]`}`)
  const edition = version && ` ${ended(version)}`
  const before = all.length === 0 ? '' : `${ended(all.join(', '))} `
  return `${before}${named}${edition} ${publisher}; ${year}. Available from: ${url}`
}

/** @see DataCite Metadata Schema 4.7, "Citation" */
function toDataCite({ title, creators, year, version, kind, publisher, url }: Cited): string {
  const names = creators.map(({ name }) => name).join('; ')
  const parts = [title, version, publisher, kind].filter(Boolean)
  return `${names && `${names} `}(${year}): ${parts.map(ended).join(' ')} ${url}`
}

/** The parts of a name: the whole name of an organization is its family name, as in citations. */
function partsOf({ name, family, given = '', suffix = '' }: Agent): {
  readonly family: string
  readonly given: string
  readonly suffix: string
} {
  return family === undefined ? { family: name, given: '', suffix: '' } : { family, given, suffix }
}

/** `Lovelace, A. K.`; an organization as it is. */
function familyFirst(creator: Agent, initials: (given: string) => string): string {
  const { family, given, suffix } = partsOf(creator)
  return [family, initials(given), suffix].filter(Boolean).join(', ')
}

function givenFirst(creator: Agent): string {
  const { family, given, suffix } = partsOf(creator)
  return [given, family, suffix].filter(Boolean).join(' ')
}

/** Names in scripts without initials, which nobody shortens. */
function isWhole(given: string): boolean {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(given)
}

/** The initials of each name; of `Jean-Pierre` two. */
function initialsOf(given: string): readonly (readonly string[])[] {
  return given
    .split(/[\s.]+(?!-)/)
    .filter(Boolean)
    .map((name) =>
      name
        .split(/[.]?[-‐‑]/)
        .filter(Boolean)
        .map((part) => String.fromCodePoint(part.codePointAt(0) ?? 32)),
    )
}

/** `A. K.`, `J.-P.` */
function spaced(given: string): string {
  return isWhole(given) ? given : dotted(given).join(' ')
}

/** `A.K.`, `J.-P.` */
function joined(given: string): string {
  return isWhole(given) ? given : dotted(given).join('')
}

function dotted(given: string): readonly string[] {
  return initialsOf(given).map((letters) => letters.map((letter) => `${letter}.`).join('-'))
}

/** `a, b, & c`. */
function listed(names: readonly string[], last: string): string {
  if (names.length < 2) return names.join('')
  return names.slice(0, -1).join(', ') + last + (names.at(-1) ?? '')
}

/** Two names have no comma between them. */
function lastOf(names: readonly string[]): string {
  return names.length === 2 ? ' and ' : ', and '
}

/** `Nov. 20, 2026`, as much of it as is known. */
function dayOf(date: string): string {
  const [year = '', month, day] = date.split('-')
  if (month === undefined) return year
  const name = months[Number(month) - 1] ?? ''
  return day === undefined ? `${name} ${year}` : `${name} ${Number(day)}, ${year}`
}

const months = 'Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.'.split(' ')

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
