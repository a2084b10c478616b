import CSL from 'citeproc'
import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cite } from '../../core/exports/citation.ts'
import { cslJson } from '../../core/exports/csl-json.ts'
import { describeDocument } from '../support/describe-document.ts'

/** Styles of the CSL project, from Debian's citation-style-language-styles and -locales. */
const folder = '/usr/share/citation-style-language'
const hasStyles = existsSync(folder)
if (!hasStyles)
  process.stderr.write(
    'SKIPPED: the comparison of citations needs citation-style-language-styles\n',
  )

/** A known difference, and how both sentences are made equal. */
interface Difference {
  readonly why: string
  readonly ours?: readonly [RegExp, string]
  readonly theirs?: readonly [RegExp, string]
}

const same = (why: string, pattern: RegExp, replacement: string): Difference => ({
  why,
  ours: [pattern, replacement],
  theirs: [pattern, replacement],
})

const version = same(
  'Some styles leave out the version, or its word; a reader of data needs it.',
  / \((?:Version )?(?:1\.0\.0|2)\)| Version (?:1\.0\.0|2)[.,]/,
  '',
)
const kind: Difference = {
  why: 'The style names only some types; ours names each.',
  ours: [/ \[(?:Data set|Computer software|Dataset|Software|Report)\]/, ''],
  theirs: [/ \[(?:Data set|Computer software)\]/, ''],
}
const number: Difference = {
  why: 'A list has numbers; one reference has none.',
  theirs: [/^(?:\[1\]|1\.) /, ''],
}
const organizations = same(
  'Beside organizations the processor has commas by a rule of its own.',
  /,(?= (?:and|&) )/,
  '',
)
const question = same('A full stop after a question mark depends on the type.', /\?\./, '?')
const quotes = same('The style takes the quotes of its language; ours are its own.', /[“”‘’]/g, '"')

/** The styles, with the differences that remain. */
const styles: Readonly<
  Record<string, { readonly file: string; readonly differences: readonly Difference[] }>
> = {
  apa: {
    file: 'apa',
    differences: [
      version,
      kind,
      question,
      { why: 'The style has a full stop too many after a title.', theirs: [/\)\. ?\. /, '). '] },
    ],
  },
  chicago: {
    file: 'chicago-author-date',
    differences: [
      version,
      same('The style capitalises titles, which spoils names and units.', /"[^"]*"/, 'TITLE'),
    ],
  },
  harvard: {
    file: 'harvard-cite-them-right',
    differences: [
      version,
      kind,
      {
        why: 'The style has its full stop inside the quotes, and no quotes around reports.',
        ours: [/"([^"]*)"\.?/, '$1.'],
        theirs: [/"([^"]*?)\.?"/, '$1.'],
      },
      question,
    ],
  },
  ieee: {
    file: 'ieee',
    differences: [
      number,
      version,
      same('The title ends with a comma or a full stop, by its type.', /[,.]"/, '"'),
      same('The style names the day only for some types.', / \d{1,2}, (?=\d{4}\. )/, ' '),
      {
        why: 'A DOI is a link in ours, as in the other styles.',
        theirs: [/ doi: (\S+)\.$/, ' [Online]. Available: https://doi.org/$1'],
      },
    ],
  },
  vancouver: {
    file: 'vancouver',
    differences: [
      number,
      version,
      {
        why: 'Ours names the type; the style says only that it is on the Internet.',
        ours: [/ \[(?:dataset|software|report)\]/, ''],
        theirs: [/ \[Internet\]/, ''],
      },
      {
        why: 'The style adds the month of a report.',
        theirs: [/; (\d{4}) [A-Z][a-z]{2}( \d+)?\./, '; $1.'],
      },
    ],
  },
}

const word = fc.stringMatching(/^[A-ZÄÖÜÉŁ][a-zäöüéłß]{1,8}$/)
const words = (most: number) =>
  fc.array(word, { minLength: 1, maxLength: most }).map((all) => all.join(' '))
const hyphened = fc.tuple(word, word).map((both) => both.join('-'))
const suffix = fc.option(fc.constantFrom('Jr.', 'III'), { freq: 4 })
const person = fc
  .tuple(fc.oneof(words(2), hyphened), words(2), suffix)
  .map(([given, family, end]) => ({
    given_name: given,
    family_name: family,
    name: [family, given, ...(end === null ? [] : [end])].join(', '),
  }))
const organization = words(3).map((name) => ({ name }))
const documents = fc.record(
  {
    title: fc
      .tuple(words(4), fc.constantFrom('', '?', ': A model', ' 2026'))
      .map((parts) => parts.join('')),
    creators: fc.array(fc.oneof(person, organization), { maxLength: 25 }),
    publication_date: fc.constantFrom('2024', '2025-02', '2026-11-20'),
    resource_type: fc.constantFrom('dataset', 'software', 'report'),
    publisher: words(2),
    doi: fc.constantFrom('10.1234/abc', '10.5281/zenodo.1234567'),
    version: fc.constantFrom('1.0.0', '2'),
  },
  { requiredKeys: ['title', 'creators', 'publication_date', 'resource_type', 'publisher'] },
)

/** Makes the reference that the citation processor has for an item of CSL JSON. */
function processor(style: string): (item: { readonly id: string }) => string {
  const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8')
  const items = new Map<string, unknown>()
  const sys = {
    retrieveLocale: (language: string) => read(`locales/locales-${language}.xml`),
    retrieveItem: (id: string) => items.get(id),
  }
  const engine = new CSL.Engine(sys, read(`styles/${style}.csl`), 'en-US', true)
  engine.setOutputFormat('text')
  return (item) => {
    items.set(item.id, item)
    engine.updateItems([item.id])
    const [, [text = ''] = []] = engine.makeBibliography() || []
    return text.trim()
  }
}

describe.skipIf(!hasStyles)('a citation', () => {
  it.for(Object.entries(styles))(
    'is that of a citation processor, but for the differences that are listed: %s',
    ([style, { file, differences }]) => {
      const process = processor(file)
      for (const [at, document] of fc.sample(documents, { numRuns: 40, seed: 17 }).entries()) {
        const about = describeDocument(document, [], `r${at}`)
        let ours = cite(about, style)
        let theirs = process(JSON.parse(cslJson.write(about)) as { readonly id: string })
        for (const each of [quotes, organizations, ...differences]) {
          if (each.ours) ours = ours.replace(...each.ours)
          if (each.theirs) theirs = theirs.replace(...each.theirs)
        }
        expect(ours).toBe(theirs)
      }
    },
  )
})
