import type { Bibliography } from './bibliography.ts'

/** An entry for BibTeX and biblatex. */
export function toBibtex(about: Bibliography): string {
  const fields = [
    ['author', about.creators.map(({ name }) => `{${escaped(name)}}`).join(' and ')],
    ['title', `{${escaped(about.title)}}`],
    ['year', about.year],
    ['date', about.date],
    ['version', escaped(about.version)],
    ['url', about.url],
  ] as const
  const lines = fields.filter(([, value]) => value !== '')
  const key = about.value.replaceAll(/[^\w-]/g, '')
  return `@misc{${key},\n${lines.map(([name, value]) => `  ${name} = {${value}}`).join(',\n')}\n}`
}

/** An entry for reference managers. @see https://en.wikipedia.org/wiki/RIS_(file_format) */
export function toRis(about: Bibliography): string {
  const lines = [
    ['TY', about.resourceType === 'dataset' ? 'DATA' : 'GEN'],
    ...about.creators.map(({ name }) => ['AU', name]),
    ['TI', about.title],
    ['PY', about.year],
    ['DA', about.date.replaceAll('-', '/')],
    ['ET', about.version],
    ...about.keywords.map((keyword) => ['KW', keyword]),
    ['UR', about.url],
  ].filter(([, value]) => value !== '')
  const single = (value = ''): string => value.replaceAll(/\s+/g, ' ')
  return [...lines.map(([tag = '', value]) => `${tag}  - ${single(value)}`), 'ER  - '].join('\n')
}

/** What BibTeX would take for markup stands for itself. */
function escaped(value: string): string {
  return value.replaceAll(/[\\{}]/g, '').replaceAll(/[#$%&_]/g, String.raw`\$&`)
}
