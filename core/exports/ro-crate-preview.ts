import type { Description, DescribedFile } from '../describe/description.ts'
import { formatBytes } from '../base/amounts.ts'
import { cite } from './citation.ts'
import { untitled } from './format.ts'
import { plainHtml } from './markdown-html.ts'
import { toFileId } from './ro-crate.ts'
import { element, wrap, type Markup } from './xml.ts'

/** A page around the rows of a table of files. */
export interface PreviewFrame {
  readonly before: string
  readonly after: string
}

/**
 * The page of a crate for people: all that the record says, without scripts, styles or anything
 * from elsewhere. Each file is a row of {@link toPreviewRow} after `before`.
 *
 * @see RO-Crate 1.2, "RO-Crate Website"
 */
export function toPreviewFrame(about: Description): PreviewFrame {
  const { title = untitled } = about
  const head = element('head', {}, [
    { markup: '<meta charset="utf-8">' },
    { markup: '<meta name="viewport" content="width=device-width">' },
    element('title', {}, title),
  ])
  const main = [
    element('h1', {}, title),
    prose(about.description ?? ''),
    wrap('dl', toFacts(about)),
    element('h2', {}, 'Files'),
    element('p', {}, [
      element('a', { href: 'ro-crate-metadata.json' }, 'The same for programs, as RO-Crate'),
    ]),
  ].map((each) => each?.markup ?? '')
  const columns = ['File', 'Type', 'Size', 'SHA-256'].map((name) => `<th scope="col">${name}</th>`)
  return {
    before: `<!DOCTYPE html>
<html lang="en">
${head.markup}
<body>
${main.join('\n')}
<table>
<thead><tr>${columns.join('')}</tr></thead>
<tbody>
`,
    after: '</tbody>\n</table>\n</body>\n</html>\n',
  }
}

export function toPreviewRow({ key, size, mediaType, sha256 }: DescribedFile): string {
  const name = key.replaceAll(/\p{Noncharacter_Code_Point}/gu, '\uFFFD')
  const cells = [
    element('a', { href: toFileId(key) }, name).markup,
    mediaType,
    formatBytes(size),
    `<code>${sha256}</code>`,
  ]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`
}

type Fact = readonly [string, readonly (string | Markup)[]]

function toFacts(about: Description): readonly Markup[] {
  const { rights, resourceType, funding, relations } = about
  const facts: readonly Fact[] = [
    ['Cite as', [cite(about, 'apa')]],
    ['Address', [link(about.citedAs)]],
    ['Creators', about.creators.map(({ name, orcid }) => link(orcid, name))],
    [
      'Contributors',
      about.contributors.map(({ name, role, orcid }) => link(orcid, `${name} (${role})`)),
    ],
    ['Publisher', [link(about.publisher.ror, about.publisher.name)]],
    ['Published', [about.date]],
    ['Type', optionalTexts(resourceType?.id)],
    ['Version', optionalTexts(about.version)],
    ['Access', accessOf(about)],
    ['License', rights ? [link(rights.url, rights.name)] : []],
    ['Keywords', [...about.keywords, ...about.subjects.map(({ subject }) => subject)]],
    ['Language', optionalTexts(about.language)],
    ['Methods', optionalTexts(about.methods).map(prose)],
    ['Dates', about.dates.map(({ date, type }) => `${type}: ${date}`)],
    ['Places', about.locations.flatMap(({ place }) => optionalTexts(place))],
    [
      'Funding',
      funding.map(({ funder, award, awardTitle, awardUrl }) =>
        link(awardUrl, [funder, award, awardTitle].filter(Boolean).join(', ')),
      ),
    ],
    [
      'Related works',
      relations.map(({ relation, identifier, url }) => link(url, `${relation}: ${identifier}`)),
    ],
    ['References', about.references],
    ['Notes', optionalTexts(about.notes).map(prose)],
  ]
  return facts.flatMap(([name, all]) => {
    const values = all.filter((value) => value !== '')
    if (values.length === 0) return []
    const said = values.map((value) =>
      element('dd', {}, typeof value === 'string' ? value : [value]),
    )
    return [element('dt', {}, name), ...said]
  })
}

/** Nothing where all may have the files. */
function accessOf({ access: { files, until, reason } }: Description): readonly string[] {
  if (files === 'public') return []
  const closed =
    until === undefined ? 'The files are closed.' : `The files are closed until ${until}.`
  return [closed, ...optionalTexts(reason)]
}

/** A text in Markdown, with its headings below that of the page. */
function prose(text: string): Markup {
  return { markup: plainHtml(text, 1) }
}

function optionalTexts(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text]
}

/** A link where the address is one of the web; else the text alone. */
function link(url: string | undefined, text = ''): string | Markup {
  if (url === undefined || !/^https?:/.test(url)) return text
  return element('a', { href: url }, text === '' ? url : text)
}
