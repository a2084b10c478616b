import fc from 'fast-check'
import type { IndexedDocument } from '../../core/search/indexed-document.ts'
import { sampleDocument } from './indexed-documents.ts'

const word = fc.constantFrom(
  'alpha',
  'alphabet',
  'beta',
  'Crème',
  'creme',
  'Straße',
  '東京大学',
  '10.1234/ab-c',
  'x',
  'constructor',
  '__proto__',
  '2020',
  '-',
  'been',
  'bean',
)
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '))
const date = fc.constantFrom(
  '2019',
  '2020',
  '2020-05',
  '2020-05-17',
  '2021-01-01T10:00:00Z',
  'soon',
)
const number = fc.constantFrom(0, 1, 2, 2.5, 2020, -3)
const name = fc.record({ name: text, orcid: fc.constantFrom(null, '0000-0002-1825-0097') })

const metadata = fc.record(
  {
    title: fc.oneof(text, fc.record({ en: text, fr: text })),
    creators: fc.array(name, { maxLength: 3 }),
    publication_date: date,
    count: number,
    keywords: fc.array(word, { maxLength: 3 }),
    open: fc.boolean(),
    description: text,
  },
  { requiredKeys: [] },
)

const status = fc.constantFrom('draft', 'published')
const updated = fc.constantFrom(
  '2025-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00.000Z',
  '2026-05-17T10:20:30.123Z',
)

/** Documents of two owners with ids in no order. */
export const documents: fc.Arbitrary<readonly IndexedDocument[]> = fc
  .array(fc.record({ metadata, status, updated, owner: fc.constantFrom('ada', 'bob') }), {
    maxLength: 12,
  })
  .map((drafts) =>
    drafts.map((draft, index) => sampleDocument({ ...draft, id: `d${(index * 7) % 13}` })),
  )

const field = fc.constantFrom(
  '',
  '',
  '',
  'title:',
  'title.en:',
  'creators:',
  'creators.name:',
  'keywords:',
  'open:',
  '_deposit.status:',
  'status:',
  'owner:',
  '_deposit:',
  '$schema:',
  '_created:',
  '_updated:',
  'missing:',
  'count:',
)

const leaf = fc.oneof(
  fc.tuple(field, word).map(([path, term]) => `${path}${term.replace(/^-$/, '"-"')}`),
  fc.tuple(field, fc.constantFrom('al*', 'alpha*', 'b*', '東*', '10.1234/a*', 'dra*')).map(join),
  fc.tuple(field, fc.constantFrom('alpa~', 'bean~1', 'x~', 'creme~2', 'betaa~')).map(join),
  fc.tuple(field, fc.constantFrom('"alpha beta"', '"東京"', '"creme"', '"???"', '"x x"')).map(join),
  fc.constantFrom(
    'publication_date:[2020 TO 2021]',
    'publication_date:{2019 TO *]',
    'count:>1',
    'count:<=2',
    'publication_date:<2020-05-10',
    'count:[2 TO 2020}',
    '_created:>2025',
    '_updated:2026',
    '_updated:2026-05*',
    '_updated:"05-17"',
    '_updated:2024~1',
    '_updated:[2026-01 TO 2026-02}',
    '_updated:<2026-01-01',
    '_updated:>=2026-05-17T10:20:30.123Z',
    '_updated:{* TO 9999]',
    '_updated:>2025',
    '_exists_:_updated',
    'creators:>1',
    '_exists_:creators.orcid',
    'title:*',
    '_exists_:missing',
    '*:*',
    'draft',
    'd0',
  ),
)

/** Nested queries of the language with every kind of clause. */
export const queries: fc.Arbitrary<string> = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.tuple(tie('query'), tie('query')).map(([a, b]) => `(${a} AND ${b})`),
    fc.tuple(tie('query'), tie('query')).map(([a, b]) => `(${a} OR ${b})`),
    tie('query').map((a) => `NOT (${a})`),
    fc.tuple(tie('query'), tie('query')).map(([a, b]) => `(${a} -(${b}))`),
  ),
})).query

function join([path, value]: [string, string]): string {
  return `${path}${value}`
}
