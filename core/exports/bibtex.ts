import type { Agent } from '../describe/description.ts'
import { publicAddress, standingNote, untitled, type ExportFormat } from './format.ts'

/**
 * An entry for BibTeX and biblatex. It is `misc` whatever the record is: the styles of BibTeX and
 * bibutils know neither `dataset` nor `software`, and take them for articles or nothing.
 */
export const bibtex: ExportFormat = {
  name: 'bibtex',
  title: 'BibTeX',
  mediaTypes: ['application/x-bibtex'],
  extension: '.bib',
  write: (about) => {
    const fields = [
      ['author', about.creators.map(toName).join(' and ')],
      ['title', `{${escaped(about.title ?? untitled)}}`],
      ['year', about.year],
      ['date', about.date],
      // In an entry of this kind, styles print no publisher.
      ['howpublished', escaped(about.publisher.name)],
      ['publisher', escaped(about.publisher.name)],
      ['version', escaped(about.version ?? '')],
      // A brace in a DOI would end the field; the address has it encoded.
      ['doi', /[{}\\%#]/.test(about.doi ?? '') ? '' : (about.doi ?? '')],
      ['url', publicAddress(about) ?? ''],
      ['note', standingNote(about) ?? ''],
    ] as const
    const lines = fields.filter(([, value]) => value !== '')
    const key = about.id.replaceAll(/[^\w-]/g, '')
    return `@misc{${key},\n${lines.map(([name, value]) => `  ${name} = {${value}}`).join(',\n')}\n}\n`
  },
}

/**
 * `Family, Given` or `Family, Jr., Given`. Braces keep together what is one name: that of an organisation, and a family name
 * of several words, unless it begins with a particle (`van der Berg`), which is a part of its own.
 */
function toName({ name, family, given, suffix }: Agent): string {
  if (family === undefined || given === undefined) return `{${escaped(name)}}`
  const isPlain = /^\p{Ll}/u.test(family) ? !/,|\band\b/i.test(family) : !/[\s,]/.test(family)
  const last = isPlain ? escaped(family) : `{${escaped(family)}}`
  const first = /,|\band\b/i.test(given) ? `{${escaped(given)}}` : escaped(given)
  return [last, ...(suffix === undefined ? [] : [escaped(suffix)]), first].join(', ')
}

/**
 * Escapes the markup of BibTeX. It counts braces, escaped ones as well, so they are commands; signs
 * that make another sign together are kept apart.
 */
function escaped(value: string): string {
  return value
    .replaceAll(/[#$%&_\\~^{}<>|]/g, (character) => commands.get(character) ?? `\\${character}`)
    .replaceAll(/(?<=-)-|(?<=`)`|(?<=')'|(?<=[?!])`/g, (character) => `{}${character}`)
}

/** Those that both LaTeX and the readers of its bibliographies know. */
const commands: ReadonlyMap<string, string> = new Map([
  ['\\', String.raw`$\backslash$`],
  ['{', String.raw`\textbraceleft{}`],
  ['}', String.raw`\textbraceright{}`],
  ['<', '$<$'],
  ['>', '$>$'],
  ['|', '$|$'],
  ['~', String.raw`\textasciitilde{}`],
  ['^', String.raw`\textasciicircum{}`],
])
