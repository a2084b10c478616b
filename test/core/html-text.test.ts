import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHtml, wordsOfHtml } from '../../core/contract/html-text.ts'
import { inOurMarks } from '../../core/contract/write-markdown.ts'
import { htmlOf, plainHtml } from '../../core/exports/markdown-html.ts'

const said = [
  [
    'numbers and links',
    '<p>Detection limit 10<sup>-3</sup> mol, area in m<sup>2</sup>, CO<sub>2</sub>. See <a href="https://example.org/protocol">the protocol</a>.</p>',
    'Detection limit 10⁻³ mol, area in m², CO₂. See [the protocol](https://example.org/protocol).',
  ],
  [
    'scripts that have no characters of their own',
    '<p>x<sup>a/b</sup>, C<sub>max</sub>, y<sub>Q</sub>, e<sup>x<sup>2</sup></sup></p>',
    'x^(a/b), Cₘₐₓ, y_(Q), e^(x²)',
  ],
  ['numbered lists', '<ol><li>first</li><li>second</li></ol>', '1. first\n2. second'],
  ['the number a list begins with', '<ol start="4"><li>a<li value=7>b</ol>', '4. a\n7. b'],
  [
    'lists within each other',
    '<ul><li>a<ol><li>b</li><li>c</li></ol></li><li><p>d</p><p>e</p></li></ul>',
    '- a\n  1. b\n  2. c\n- d\n  e',
  ],
  [
    'tables',
    '<table><tr><th>Site</th><th>Depth | m</th></tr><tr><td>A</td><td>1<br>2</td></tr></table>',
    '| Site | Depth \\| m |\n| --- | --- |\n| A | 1 2 |',
  ],
  [
    'tables without a head',
    '<table><tbody><tr><td>a<td>b<tr><td>c<td>d</table>',
    '|  |  |\n| --- | --- |\n| a | b |\n| c | d |',
  ],
  [
    'lists of definitions',
    '<dl><dt>depth</dt><dd>in metres</dd><dd>below zero</dd><dt>t</dt><dd>in °C</dd></dl>',
    '- **depth**: in metres; below zero\n- **t**: in °C',
  ],
  [
    'images',
    '<p><img src="https://example.org/a.png" alt="A map"> <img src="data:image/png;base64,AA" alt="b"></p>',
    '[A map](https://example.org/a.png) b',
  ],
  ['emphasis', '<p><b>a </b>b <i>c</i>, <b><i>d</i></b></p>', '**a** b *c*, **_d_**'],
  ['emphasis within a word as the word', '<p>H<i>x</i>, <b>a</b>b</p>', 'Hx, ab'],
  ['headings', '<h2>Methods</h2><p>a</p>', '## Methods\n\na'],
  ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  [
    'code',
    '<p>Run <code>a*b*</code>:</p><pre>x &lt;- 1\n  y</pre>',
    'Run `a*b*`:\n\n```\nx <- 1\n  y\n```',
  ],
  ['lines', '<p>a<br>b<br/>c</p>d', 'a\nb\nc\n\nd'],
  [
    'entities',
    '<p>5&nbsp;&micro;m &plusmn; 1 &lt;b&gt; &Eacute;&eacute; &unknown;</p>',
    '5 µm ± 1 <b> Éé &unknown;',
  ],
  ['struck words', '<p><s>10</s> 5</p>', '~~10~~ 5'],
  [
    'addresses that are none of the web',
    '<p><a href="javascript:alert(1)">a</a> <a href="#x">b</a> <a href="doi:10.1/x">c</a> <a href="mailto:a@b.c">d</a></p>',
    'a b c (doi:10.1/x) [d](mailto:a@b.c)',
  ],
  [
    'addresses that are written out',
    '<p><a href="https://a.org/x_(y)">https://a.org/x_(y)</a>, <a href="https://a.org/x_(y)">z</a></p>',
    'https://a.org/x_(y), [z](https://a.org/x_%28y%29)',
  ],
  [
    'an address with a sign of tags',
    '<p><a title="a > b" href="https://a.org">x</a></p>',
    '[x](https://a.org)',
  ],
  [
    'JATS',
    '<jats:title>Abstract</jats:title><jats:p>10<jats:sup>-3</jats:sup> <jats:italic>m</jats:italic> <jats:ext-link xlink:href="https://a.org">x</jats:ext-link></jats:p>',
    '### Abstract\n\n10⁻³ *m* [x](https://a.org)',
  ],
  [
    'no scripts, styles and comments',
    '<p>a<script>b</script><!-- c -->d<style>e</style></p>',
    'ad',
  ],
  ['tags that it does not know as text', '<p>a <video> 1 < 2 <3</p>', 'a <video> 1 < 2 <3'],
  ['text alone', '2 * 3\n\n- a &amp; *b*', '2 * 3\n\n- a & *b*'],
  [
    'text that looks like Markdown',
    '<p># a<br>- b *c* `d` `e` 1 * 2</p><p>&gt; f</p><p>[g](https://h.org)</p><p>* p &lt; 0.05</p>',
    '\\# a\n\\- b \\*c* \\`d\\` \\`e` 1 * 2\n\n\\> f\n\n\\[g](https://h.org)\n\n\\* p < 0.05',
  ],
] as const

describe('HTML', () => {
  it.for(said)('is read as Markdown: %s', ([, html, markdown]) => {
    expect(fromHtml(html)).toBe(markdown)
  })

  it('that looks like Markdown is shown as it was', () => {
    const html = plainHtml(fromHtml('<p>*a* `b` `c` _d_ [e](https://f.org) \\*g* \\(h\\)</p>'))
    expect(html).toBe(
      '<p>*a* `b` `c` _d_ [e](<a href="https://f.org">https://f.org</a>) \\*g* \\(h\\)</p>',
    )
  })

  it('is words with addresses where there is no Markdown', () => {
    expect(wordsOfHtml('<p>Ask <b>us</b> *now*: <a href="mailto:a@b.c">mail</a></p>')).toBe(
      'Ask us *now*: mail (mailto:a@b.c)',
    )
  })

  it('comes back as the same Markdown, whatever it is', () => {
    fc.assert(
      fc.property(hostileHtml, (html) => {
        const markdown = inOurMarks(fromHtml(html))
        expect(inOurMarks(fromHtml(plainHtml(markdown)))).toBe(markdown)
      }),
      { numRuns: 3_000, seed: 5 },
    )
  })

  it.for([
    '<',
    '</',
    '<p',
    '<p ',
    '<p>',
    '<b>',
    '<a href="',
    '<a href="x">',
    '<sup>',
    '<sup>1',
    '<ul>',
    '<li>',
    '<ul><li>',
    '<table>',
    '<td>',
    '<table><tr><td>',
    '<blockquote>',
    '<dl><dt>',
    '<pre>',
    '<!--',
    '<script>',
    '<style>x',
    '</b>',
    '</li>',
    '<b></p>',
    '<p>*',
    '<p>`_[',
    '<p>\\',
    '<p>](',
    '<p>https://',
    '<p>http',
    '<img alt="x"',
    '&',
    '&#',
    '<br>',
    '<hr>',
    '<b><i><a href=https://x.org>',
    '<i>a</i>',
    '<a href=https://x.org>a</a>',
    '<b>a </b> ',
    '<p> ',
    ' ',
    '<code> </code>',
    ' <br> ',
  ])('of a hundred thousand of %s is read as well', (part) => {
    const markdown = fromHtml(`<p>${part.repeat(100_000)}`)
    plainHtml(markdown)
    wordsOfHtml(`<p>${part.repeat(100_000)}`)
    expect(markdown.length).toBeLessThan(5_000_000)
  })
})

const hostileHtml = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'p b i a ul ol li table tr td th blockquote pre code h2 sup sub dl dt dd br hr'
          .split(' ')
          .flatMap((name) => [`<${name}>`, `</${name}>`]),
        '<a href="https://x.org/a_(b)*">',
        '<img src="https://x.org/i" alt="*i*">',
        ' ',
        '\n',
      ),
      fc.constantFrom(
        'a',
        'b c',
        '1. ',
        '- ',
        '* ',
        '# ',
        '> ',
        '|',
        '```',
        'https://y.org/_z_',
        '~',
      ),
      fc.string({ unit: fc.constantFrom(...'*_`[]()\\a 1.|-#>!'.split('')), maxLength: 8 }),
    ),
    { maxLength: 14 },
  )
  .map((parts) => `<p>${parts.join('')}`)

describe('Markdown', () => {
  it('is written as HTML of plain tags', () => {
    const markdown =
      'Intro with **bold** and *em*.\n1 < 2\n\n1. first\n2. second\n   - nested\n\n> quoted\n\n' +
      '## Head\n\n| a | b |\n| --- | --- |\n| 1 | [x](https://x.org/?a=1&b=2) |\n\n3. c\n4. d\n\n```\nx\n```'
    expect(htmlOf(markdown)).toBe(
      '<p>Intro with <strong>bold</strong> and <em>em</em>.<br>1 &#60; 2</p>' +
        '<ol><li>first</li><li>second<ul><li>nested</li></ul></li></ol>' +
        '<blockquote>quoted</blockquote><h2>Head</h2>' +
        '<table><thead><tr><th>a</th><th>b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td><a href="https://x.org/?a=1&#38;b=2">x</a></td></tr></tbody></table>' +
        '<p>3. c<br>4. d</p><pre><code>x</code></pre>',
    )
    expect(fromHtml(htmlOf(markdown) ?? '')).toBe(markdown)
    expect(htmlOf('Two weeks of 2 * 3 levels')).toBe('Two weeks of 2 * 3 levels')
  })

  it('says the same after a way through HTML', () => {
    fc.assert(
      fc.property(markdownTexts, (markdown) => {
        const again = fromHtml(htmlOf(markdown) ?? '')
        expect(inOurMarks(again)).toBe(inOurMarks(markdown))
      }),
      { numRuns: 3_000, seed: 6 },
    )
  })

  it('has lists within each other, and tables', () => {
    expect(inOurMarks('* a\n    * b\n        1) c\n* d')).toBe('- a\n  - b\n    1. c\n- d')
    expect(inOurMarks('|a|b|\n|---|:-:|\n|c|`d`|')).toBe('| a | b |\n| --- | --- |\n| c | `d` |')
    expect(inOurMarks('| no table')).toBe('| no table')
  })
})

/** Marks that mean something, in any order. */
const markdownTexts = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\n\n', '\n- x', '\n  - y', '\n1. z', '\n> ', '\n## ', '\n```\n', ' '),
      fc.constantFrom('\n| a |\n| --- |\n', ' **a** ', ' *b* ', ' _c_ ', '`d`', ' https://y.org '),
      fc.constantFrom(
        '[e](https://x.org/a_b)',
        '<b>',
        '&amp;',
        '\\*',
        '\\(',
        '**f _g_**',
        '\\[h\\]',
      ),
      fc.string({ unit: fc.constantFrom(...'a 1.|-#>!()~<&"'.split('')), maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))
