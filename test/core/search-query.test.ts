import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Query } from '../../core/search/ast.ts'
import { isProblem, type Fault } from '../../core/errors/errors.ts'
import { parseQuery } from '../../core/search/query.ts'

const showBound = ({ text, inclusive }: { text: string; inclusive: boolean }) =>
  `${inclusive ? '=' : ''}${text}`

/** The query as one line, which keeps the table below readable. */
function show(query: Query): string {
  const field = 'field' in query && query.field ? `${query.field.join('/')}:` : ''
  switch (query.type) {
    case 'all':
      return '*'
    case 'term': {
      const endings = { exact: '', prefix: '*', auto: '~', 1: '~1', 2: '~2' }
      return `${field}${query.text}${endings[query.ending]}`
    }
    case 'phrase':
      return `${field}"${query.text}"`
    case 'range': {
      const from = query.from ? showBound(query.from) : ''
      return `${field}${from}..${query.to ? showBound(query.to) : ''}`
    }
    case 'exists':
      return `${field}?`
    case 'and':
    case 'or':
      return `(${query.type} ${query.clauses.map(show).join(' ')})`
    case 'not':
      return `(not ${show(query.clause)})`
  }
}

function faultOf(text: string): Fault {
  try {
    parseQuery(text)
  } catch (error) {
    if (isProblem(error, 'invalid_query') && error.faults[0]) return error.faults[0]
    throw error
  }
  throw new Error(`${text} was taken`)
}

describe('the query language', () => {
  it.for([
    ['foo', 'foo'],
    ['  foo  ', 'foo'],
    ['foo bar', '(and foo bar)'],
    ['foo AND bar OR baz', '(or (and foo bar) baz)'],
    ['foo OR bar baz', '(or foo (and bar baz))'],
    ['a OR b AND NOT c', '(or a (and b (not c)))'],
    ['a && b || !c', '(or (and a b) (not c))'],
    ['a&&b', '(and a b)'],
    ['(a OR b) c', '(and (or a b) c)'],
    ['NOT(a b)', '(not (and a b))'],
    ['+a -b', '(and a (not b))'],
    ['-(a OR b)', '(not (or a b))'],
    ['a - b', '(and a - b)'],
    ['and or not', '(and and or not)'],
    ['"exact phrase"', '"exact phrase"'],
    [String.raw`"a \"b\" c"`, '"a "b" c"'],
    ['a"b c"', '(and a "b c")'],
    ['title:foo', 'title:foo'],
    ['title:"a b"', 'title:"a b"'],
    ['_deposit.status:draft', '_deposit/status:draft'],
    ['creators.name:Ada', 'creators/name:Ada'],
    [String.raw`a\.b.c:x`, 'a.b/c:x'],
    ['title:(a OR b) c', '(and (or title:a title:b) c)'],
    ['title:(a creators.name:b)', '(and title:a creators/name:b)'],
    ['$schema:dataset', '$schema:dataset'],
    ['data*', 'data*'],
    ['title:da*', 'title:da*'],
    ['fuzy~', 'fuzy~'],
    ['fuzy~1 fuzzi~2', '(and fuzy~1 fuzzi~2)'],
    ['n:[1 TO 5]', 'n:=1..=5'],
    ['n:{1 TO 5}', 'n:1..5'],
    ['n:[1 TO 5}', 'n:=1..5'],
    ['d:[2020-01-01 TO *]', 'd:=2020-01-01..'],
    ['d:["2020-01" TO "2021"]', 'd:=2020-01..=2021'],
    ['d:[* TO *]', 'd:?'],
    ['n:>5 n:>=5 n:<-1.5 n:<=5', '(and n:5.. n:=5.. n:..-1.5 n:..=5)'],
    ['d:>2020-05-01T10:00:00Z', 'd:2020-05-01T10:00:00Z..'],
    ['n:(>1 AND <5)', '(and n:1.. n:..5)'],
    ['_exists_:creators.orcid', 'creators/orcid:?'],
    ['title:*', 'title:?'],
    ['*', '*'],
    ['*:*', '*'],
    ['', '*'],
    ['10.1234/abc.def', '10.1234/abc.def'],
    ['10.1016/S0140-6736(97)11096-0', '10.1016/S0140-6736(97)11096-0'],
    ['doi:10.1234/abc', '10.1234/abc'],
    ['orcid:0000-0002-1825-0097', '0000-0002-1825-0097'],
    ['0000-0002-1825-0097', '0000-0002-1825-0097'],
    ['https://doi.org/10.1234/a?b=c#d', 'https://doi.org/10.1234/a?b=c#d'],
    ['http://x.y/~ada/', 'http://x.y/~ada/'],
    ['(http://x.y/z)', 'http://x.y/z'],
    ['urn:nbn:de:101:1', 'urn:nbn:de:101:1'],
    ['12:30', '12:30'],
    [String.raw`title\:foo`, 'title:foo'],
    [String.raw`a\*b \(c\) \AND`, '(and a*b (c) AND)'],
    ['東京 大学', '(and 東京 大学)'],
  ] as const)('reads %s as %s', ([text, shape]) => {
    expect(show(parseQuery(text))).toBe(shape)
  })

  it.for([
    ['a AND', 5],
    ['AND a', 0],
    ['a OR OR b', 5],
    ['a AND OR b', 6],
    ['NOT', 3],
    ['()', 1],
    ['(a', 0],
    ['a (b (c)', 2],
    ['a)', 1],
    ['say "hello', 4],
    ['foo\\', 3],
    ['title:', 0],
    ['a title: b', 2],
    ['te*t', 2],
    ['**', 0],
    ['a~3', 2],
    ['"a b"~2', 5],
    ['[1 TO 2]', 0],
    ['n:[1 2]', 2],
    ['n:[1 TO', 2],
    ['n:[1 TO 2', 2],
    ['n:[a TO b]', 3],
    ['d:[2020-02-30 TO *]', 3],
    ['n:>', 3],
    ['n:>abc', 3],
    ['_exists_:', 0],
    ['_exists_:(a)', 9],
    ['😀 (a', 2],
  ] as const)('refuses %s at character %i', ([text, position]) => {
    expect(faultOf(text)).toMatchObject({ field: 'q', position })
  })
})

describe('the limits of a query', () => {
  it('allow 1024 characters of any number of bytes, and no more', () => {
    expect(parseQuery('😀'.repeat(1024)).type).toBe('term')
    expect(faultOf('x'.repeat(1025)).position).toBe(1024)
  })

  it('allow 32 levels and no more', () => {
    const nested = (levels: number) => `${'('.repeat(levels)}a${')'.repeat(levels)}`
    expect(show(parseQuery(nested(32)))).toBe('a')
    expect(faultOf(nested(33)).position).toBe(32)
    expect(faultOf(`${'-'.repeat(33)}a`).position).toBe(32)
    expect(faultOf(`${'NOT '.repeat(33)}a`).position).toBe(128)
    expect(faultOf(`${'+'.repeat(33)}a`).position).toBe(32)
  })

  it('allow 64 clauses and no more', () => {
    expect(parseQuery('a '.repeat(64))).toMatchObject({ type: 'and' })
    expect(faultOf('a '.repeat(65)).position).toBe(128)
    expect(faultOf('(a) OR '.repeat(64) + 'n:>1').message).toContain('64 clauses')
  })
})

describe('hostile queries', () => {
  it.for([
    ['100 kB', 'x'.repeat(100_000)],
    ['a thousand stars', '*'.repeat(1000)],
    ['open parentheses', '('.repeat(1024)],
    ['open parentheses in a word', 'a('.repeat(512)],
    ['quotation marks', '"'.repeat(1023)],
    ['backslashes', '\\'.repeat(1023)],
    ['tildes', '~'.repeat(1024)],
    ['tildes and digits', '~1'.repeat(512)],
    ['dotted names', 'a.'.repeat(512)],
    ['open ranges', 'a:['.repeat(340)],
    ['operators', 'AND '.repeat(256)],
    ['signs', '+-!'.repeat(340)],
    ['a regular expression', '/(a+)+$/ [^a] .{5} (?<=x)'],
    ['right to left', '\u202eאבג\u202c (شمس'],
    ['lone surrogates and NUL', '\ud800 \0 \udc00'],
    ['__proto__', '__proto__:x AND constructor.prototype:y'],
  ])('%s are either read or refused', ([, text = '']) => {
    expect(onlyInvalidQuery(text)).toBe(true)
  })

  it('throw only invalid_query, with a position inside the query', () => {
    const pieces =
      'AND|OR|NOT|(|)|"|[|]|{|}| TO | |:|*|~|\\|+|-|!|&&|<|>=|a|title|_exists_|.|2020|漢|😀'
    const piece = fc.constantFrom('||', ...pieces.split('|'))
    const soup = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
    fc.assert(fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), onlyInvalidQuery), {
      numRuns: 3000,
    })
  })
})

function onlyInvalidQuery(text: string): boolean {
  try {
    parseQuery(text)
    return true
  } catch (error) {
    if (!isProblem(error, 'invalid_query')) return false
    const position = error.faults[0]?.position ?? -1
    return position >= 0 && position <= Math.min(Array.from(text).length, 1024)
  }
}
