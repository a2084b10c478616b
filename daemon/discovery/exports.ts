import { nameParts, type Bibliography, type Creator } from './bibliography.ts'

/** An entry for BibTeX and biblatex. */
export function toBibtex(about: Bibliography): string {
  const fields = [
    ['author', about.creators.map(toBibtexName).join(' and ')],
    ['title', `{${escaped(about.title)}}`],
    ['year', about.year],
    ['date', about.date],
    ['publisher', escaped(about.publisher)],
    ['version', escaped(about.version)],
    ['url', about.url],
  ] as const
  const lines = fields.filter(([, value]) => value !== '')
  const type = bibtexTypes.get(about.resourceType) ?? 'misc'
  const key = about.value.replaceAll(/[^\w-]/g, '')
  return `@${type}{${key},\n${lines.map(([name, value]) => `  ${name} = {${value}}`).join(',\n')}\n}`
}

/** Types that biblatex knows; styles of BibTeX itself take those they do not know for `misc`. */
const bibtexTypes: ReadonlyMap<string, string> = new Map([
  ['computationalnotebook', 'software'],
  ['dataset', 'dataset'],
  ['software', 'software'],
])

/**
 * `Family, Given`. Braces keep together what is one name: that of an organisation, and a family name
 * of several words, unless it begins with a particle (`van der Berg`), which is a part of its own.
 */
function toBibtexName(creator: Creator): string {
  const { family, given } = nameParts(creator)
  if (given === '') return `{${escaped(creator.name)}}`
  const isOne = /^\p{Ll}/u.test(family) || !/[\s,]/.test(family)
  const first = /,|\band\b/.test(given) ? `{${escaped(given)}}` : escaped(given)
  return `${isOne ? escaped(family) : `{${escaped(family)}}`}, ${first}`
}

/** An entry for reference managers. @see https://en.wikipedia.org/wiki/RIS_(file_format) */
export function toRis(about: Bibliography): string {
  const lines = [
    ['TY', risTypes.get(about.resourceType) ?? 'GEN'],
    ...about.creators.map((creator) => ['AU', toRisName(creator)]),
    ['TI', about.title],
    ['PY', about.year],
    ['DA', about.date.replaceAll('-', '/')],
    ['PB', about.publisher],
    ['ET', about.version],
    ...about.keywords.map((keyword) => ['KW', keyword]),
    ['UR', about.url],
  ].filter(([, value]) => value !== '')
  const single = (value = ''): string => value.replaceAll(/\s+/g, ' ')
  return [...lines.map(([tag = '', value]) => `${tag}  - ${single(value)}`), 'ER  - '].join('\n')
}

const risTypes: ReadonlyMap<string, string> = new Map([
  ['dataset', 'DATA'],
  ['software', 'COMP'],
])

function toRisName(creator: Creator): string {
  const { family, given } = nameParts(creator)
  return given === '' ? creator.name : `${family}, ${given}`
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
