import fc from 'fast-check'
import type { JsonObject } from '../../core/index.ts'

/** Texts that end a string, a field or a file in one of the formats. */
const hostile = [
  '</script><script>alert(1)</script>',
  ']]><!--',
  '& < > " \' &amp; &#0;',
  '{unbalanced } brace { \\',
  '\\input{x} $ % # _ ~ ^ @misc{a,',
  'and others and, {and}',
  'first\r\nER  - \r\nTY  - BOOK\nsecond',
  '"""quoted""" \\" \\u0000 \'\'\'',
  '> <a> . ; , [ ] ( ) @prefix x: <y> .',
  '- x: y\n# no comment: &anchor *alias !tag |',
  '\u0000\u0001\b\u000b\f\u001b\u007f\u0085\u009f',
  '\ud800 lone \udfff surrogates',
  '\ufffe\uffff\u{1fffe}',
  '\u2028\u2029\u00a0\u200b\ufeff\u202e',
  '   ',
  'Å ö 漢字 שלום 🏳️‍🌈',
  '1.0',
  'null',
  'x'.repeat(70_000),
]

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.constantFrom(...hostile) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }) },
)

const url = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom(
    'https://example.org/a b<c>"{}|\\^`[]%zz',
    'http://[::1]:8080/x',
    'https://bücher.example/ü?q=ü#ü',
    'javascript:alert(1)',
    'https://user:word@example.org/',
  ),
)

const identifier = fc.oneof(
  text,
  url,
  fc.constantFrom(
    '10.1234/abc.DEF',
    'doi:10.5281/zenodo.1',
    'https://doi.org/10.1000/<x>;{2}#"%zz',
    'arXiv:2101.00001v2',
    'urn:nbn:de:101:1-201102033592',
    'ark:/12148/btv1b8449691v',
    '978-3-16-148410-0',
    '2049-3630',
    'swh:1:cnt:94a9ed024d3859793618152ea559a168bbcbb5e2',
    'hdl:20.500.12345/1',
  ),
)

const date = fc.constantFrom('2026', '2026-11', '2026-11-20', '0001-01-01', '9999')
const period = fc.oneof(date, fc.constantFrom('2024/2025', '/2025-01', '2024-02-03/'))
const ror = fc.constantFrom('https://ror.org/04wxnsj81', '04wxnsj81')
const relation = fc.constantFrom('IsSupplementTo', 'cites', 'isnewversionof', 'HasPart', 'Other')
const type = fc.constantFrom('dataset', 'software', 'poster', 'bookchapter', 'other', 'report')
const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true })

const record = <Fields extends Record<string, fc.Arbitrary<unknown>>>(fields: Fields) =>
  fc.record(fields, { requiredKeys: [] })
const list = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { maxLength: 3 })

const person = record({
  name: text,
  given_name: text,
  family_name: text,
  orcid: fc.constantFrom('0000-0002-1825-0097', 'https://orcid.org/0000-0002-1825-0097'),
  affiliation: list(fc.oneof(text, record({ name: text, ror }))),
  role: fc.constantFrom('DataCurator', 'editor', 'ContactPerson', 'nobody'),
})

/** Documents with the fields of the package's schemas and arbitrary texts. */
const documents = record({
  title: text,
  creators: list(person),
  contributors: list(person),
  publisher: fc.oneof(text, record({ name: text, ror })),
  description: text,
  methods: text,
  notes: text,
  publication_date: date,
  resource_type: fc.oneof(type, text),
  license: fc.oneof(fc.constantFrom('CC-BY-4.0', 'mit', 'GFDL-1.3-only', 'FSL-1.1-MIT'), text, url),
  keywords: list(text),
  subjects: list(fc.oneof(text, record({ subject: text, scheme: text, identifier }))),
  related_identifiers: list(
    record({
      identifier,
      relation,
      scheme: fc.oneof(text, fc.constantFrom('doi', 'url', 'isbn', 'arxiv', 'handle', 'pmid')),
      resource_type: type,
    }),
  ),
  references: list(fc.oneof(text, url)),
  alternate_identifiers: list(fc.oneof(identifier, record({ identifier, scheme: text }))),
  funding: list(
    record({
      funder: fc.oneof(text, ror),
      funder_id: fc.oneof(ror, url, fc.constant('10.13039/501100000780')),
      award: text,
      award_title: text,
      award_uri: url,
    }),
  ),
  locations: list(
    record({
      place: text,
      point: record({ latitude: degrees(90), longitude: degrees(180) }),
      box: record({
        west: degrees(180),
        east: degrees(180),
        south: degrees(90),
        north: degrees(90),
      }),
    }),
  ),
  doi: fc.oneof(fc.constantFrom('10.1234/abc', '10.1234/{x}<y>#%&_\\'), text),
  version: text,
  language: fc.constantFrom('en', 'pt-BR', 'zh-Hans-CN', 'x', ''),
  dates: list(
    record({
      date: period,
      type: fc.constantFrom('collected', 'coverage', 'available', 'x'),
      description: text,
    }),
  ),
  access: record({
    files: fc.constantFrom('public', 'restricted'),
    until: fc.constantFrom('2026-11-22', '2999-01-01', 'some day'),
    reason: text,
  }),
})

/** The same fields with values of any shape, as documents of another schema may have them. */
const misshapen = fc.dictionary(
  fc.constantFrom('title', 'creators', 'license', 'dates', 'access', 'locations', 'funding', 'doi'),
  fc.jsonValue({ maxDepth: 3 }),
)

const keys = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((name) => `${name}.csv`),
    fc.constantFrom('a.csv', 'data/a.csv', 'A.CSV', 'ä.zip', 'x', '"q".pdf', '%41.txt', '<b>.html'),
  ),
  { maxLength: 4 },
)

export interface Sample {
  readonly document: JsonObject
  readonly keys: readonly string[]
}

/** Records to export: complete and minimal ones, with and without files. */
export const hostileSamples: fc.Arbitrary<Sample> = fc.record({
  document: fc.oneof(
    { weight: 8, arbitrary: documents },
    { weight: 1, arbitrary: misshapen },
    { weight: 1, arbitrary: fc.constant({}) },
  ) as fc.Arbitrary<JsonObject>,
  keys,
})
