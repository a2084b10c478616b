import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDateSpan } from '../../core/search/dates.ts'
import { matches } from '../../core/search/match.ts'
import { parseQuery } from '../../core/search/query.ts'
import { wordsOf } from '../../core/search/analyze.ts'
import { sampleDocument } from '../support/indexed-documents.ts'

const document = sampleDocument({
  id: 'a1b2c3',
  created: '2026-03-04T05:06:07.089Z',
  updated: '2026-04-05T00:00:00.000Z',
  metadata: {
    title: 'Crème brûlée of the Northern Straße',
    description: 'Measured at 東京大学 and in 서울특별시; see https://doi.org/10.1234/ABC-def.5',
    creators: [
      { name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097', affiliation: ['Łódź', 'Genève'] },
      { name: 'Söderström, Åke', orcid: null },
    ],
    publication_date: '2020-05-17',
    embargo: '2021',
    count: 12,
    ratio: -1.5,
    open: true,
    'dotted.name': 'inside',
    extra: { deep: { deeper: ['needle', 7] } },
    nothing: null,
    empty: [],
  },
})

const finds = (text: string) => matches(parseQuery(text), document)

describe('a query finds a document', () => {
  it.for([
    '*',
    'creme',
    'CRÈME',
    'strasse',
    'brûlée',
    'lodz geneve',
    'soderstrom ake',
    '東京',
    '京大',
    '서울',
    '"northern straße"',
    '"crème brûlée"',
    '10.1234/abc-def.5',
    'doi:10.1234/ABC-DEF.5',
    'https://doi.org/10.1234/abc-def.5',
    '10.1234/abc*',
    '0000-0002-1825-0097',
    'orcid:0000-0002-1825-0097',
    'nor*',
    'northern*',
    'nothern~',
    'nrthrn~2',
    'a1b2c3',
    'title:creme',
    'title:(creme AND NOT vanilla)',
    'creators.name:ada',
    'creators:ada',
    'creators.name:"lovelace ada"',
    'creators.affiliation:lodz',
    'extra.deep:needle',
    'extra.deep.deeper:7',
    'count:12',
    'open:true',
    String.raw`dotted\.name:inside`,
    '_deposit.status:draft',
    'status:draft',
    'status:(published OR draft)',
    'id:a1b2c3',
    'created:2026-03-04T05:06:07.089Z',
    'updated:[2026-04 TO 2026-05]',
    '_exists_:status',
    'NOT status:published',
    '_deposit.owners:ada',
    '_created:2026',
    'publication_date:[2020 TO 2020]',
    'publication_date:[2020-05-17 TO 2020-05-17]',
    'publication_date:{2019 TO 2021}',
    'publication_date:>2020-05-16',
    'publication_date:>=2020-05-17',
    'publication_date:<=2020',
    'publication_date:<2020-05-18T00:00:00+02:00',
    'embargo:>2020',
    '_updated:>2026-04-04',
    '_created:[2026-03-04T05:06 TO 2026-03-04T05:06]',
    'count:[12 TO 12]',
    'count:{11 TO *]',
    'count:>11.5',
    'ratio:<-1',
    '_exists_:creators.orcid',
    '_exists_:extra',
    'creme -vanilla',
    'vanilla OR creme',
    'NOT vanilla',
    'creme AND ???',
    'creme - lodz',
  ])('by %s', (text) => {
    expect(finds(text)).toBe(true)
  })

  it.for([
    'vanilla',
    'cre',
    '"brûlée crème"',
    '"ada söderström"',
    '京東',
    '10.1234/abd*',
    'nrthrn~1',
    'draft',
    'example',
    'title:lodz',
    'creators.title:ada',
    'title.en:creme',
    'nothing:null',
    '_exists_:nothing',
    '_exists_:empty',
    '_exists_:missing',
    'publication_date:{2020 TO 2021]',
    'publication_date:<2020',
    'publication_date:>2020',
    'publication_date:[2021 TO *]',
    'embargo:>2021',
    'count:{12 TO 20}',
    'count:<12',
    'title:>1',
    'open:>0',
    'creme -lodz',
    'creme NOT (lodz OR x)',
    '???',
    'NOT ???',
    '__proto__:x',
    'constructor:*',
  ])('but not by %s', (text) => {
    expect(finds(text)).toBe(false)
  })

  it("by a short name that is also a field, by that field's value", () => {
    const loan = sampleDocument({ metadata: { status: 'on loan', owner: 'the museum' } })
    for (const text of ['status:loan', 'status:draft', 'owner:museum', 'owner:ada']) {
      expect(matches(parseQuery(text), loan)).toBe(true)
    }
  })
})

describe('the words of a text', () => {
  it.for([
    ['', []],
    ['Hello, World', ['hello', 'world']],
    ['ﬁne ①', ['fine', '1']],
    ['İstanbul ΣΊΣΥΦΟΣ', ['istanbul', 'σισυφοσ']],
    ['がか', ['が', 'か']],
    ['カタカナーx', ['カ', 'タ', 'カ', 'ナ', 'ー', 'x']],
    ['한국', ['한', '국']],
    ['हिन्दी', ['हिन्दी']],
    ['I 💚 C++', ['i', '💚', 'c']],
    ['e\u0301', ['e']],
    ['\0\ud800', []],
    ['x'.repeat(65), ['x'.repeat(64), 'x']],
  ] as const)('of %j are %j', ([text, words]) => {
    expect(wordsOf(text)).toEqual(words)
  })
})

describe('the words of ASCII texts', () => {
  it('are the same as beside another script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (text) => {
        expect([...wordsOf(text), '漢']).toEqual(wordsOf(`${text} 漢`))
      }),
    )
  })
})

describe('a date', () => {
  it.for([
    ['2020', '2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z'],
    ['0050', '0050-01-01T00:00:00.000Z', '0051-01-01T00:00:00.000Z'],
    ['2020-12', '2020-12-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z'],
    ['2020-02-29', '2020-02-29T00:00:00.000Z', '2020-03-01T00:00:00.000Z'],
    ['2020-02-29T23:59', '2020-02-29T23:59:00.000Z', '2020-03-01T00:00:00.000Z'],
    ['2020-01-01T00:00:00+01:00', '2019-12-31T23:00:00.000Z', '2019-12-31T23:00:01.000Z'],
    ['2020-01-01T00:00:00.1234Z', '2020-01-01T00:00:00.123Z', '2020-01-01T00:00:00.124Z'],
  ] as const)('%s lasts from %s to %s', ([text, start, end]) => {
    expect(parseDateSpan(text)).toEqual({ start: Date.parse(start), end: Date.parse(end) })
  })

  it.for([
    '2020-02-30',
    '2021-02-29',
    '2020-13',
    '2020-00',
    '20',
    '2020-1-1',
    '2020-01-01T25:00',
    '',
  ])('is not %j', (text) => {
    expect(parseDateSpan(text)).toBeUndefined()
  })
})
