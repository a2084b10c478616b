import type { Agent } from '../describe/description.ts'
import { untitled, type ExportFormat } from './format.ts'

/** An entry for BibTeX and biblatex. */
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
      ['publisher', escaped(about.publisher.name)],
      ['version', escaped(about.version ?? '')],
      // A brace in a DOI would end the field; the address has it encoded.
      ['doi', /[{}\\%#]/.test(about.doi ?? '') ? '' : (about.doi ?? '')],
      ['url', about.citedAs],
    ] as const
    const lines = fields.filter(([, value]) => value !== '')
    const type = types.get(about.resourceType?.general ?? '') ?? 'misc'
    const key = about.id.replaceAll(/[^\w-]/g, '')
    return `@${type}{${key},\n${lines.map(([name, value]) => `  ${name} = {${value}}`).join(',\n')}\n}\n`
  },
}

/** Types that biblatex knows; styles of BibTeX itself take those they do not know for `misc`. */
const types: ReadonlyMap<string, string> = new Map([
  ['ComputationalNotebook', 'software'],
  ['Dataset', 'dataset'],
  ['Software', 'software'],
])

/**
 * `Family, Given`. Braces keep together what is one name: that of an organisation, and a family name
 * of several words, unless it begins with a particle (`van der Berg`), which is a part of its own.
 */
function toName({ name, family, given }: Agent): string {
  if (family === undefined || given === undefined) return `{${escaped(name)}}`
  const isPlain = /^\p{Ll}/u.test(family) ? !/,|\band\b/i.test(family) : !/[\s,]/.test(family)
  const last = isPlain ? escaped(family) : `{${escaped(family)}}`
  return `${last}, ${/,|\band\b/i.test(given) ? `{${escaped(given)}}` : escaped(given)}`
}

/** Escapes the markup of BibTeX; braces, which it counts, are left out. */
function escaped(value: string): string {
  return value
    .replaceAll(/[{}]/g, '')
    .replaceAll(/[#$%&_\\~^]/g, (character) => commands.get(character) ?? `\\${character}`)
}

const commands: ReadonlyMap<string, string> = new Map([
  ['\\', String.raw`\textbackslash{}`],
  ['~', String.raw`\textasciitilde{}`],
  ['^', String.raw`\textasciicircum{}`],
])
