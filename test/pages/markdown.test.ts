import { describe, expect, it } from 'vitest'
import { markdownHtml } from '../../core/exports/markdown-html.ts'

describe('a description in Markdown', () => {
  it.for([
    ['two paragraphs', 'One\nline.\n\nTwo.', '<p dir="auto">One\nline.</p><p dir="auto">Two.</p>'],
    ['emphasis', '*a* **b** _c_', '<p dir="auto"><em>a</em> <strong>b</strong> <em>c</em></p>'],
    [
      'no emphasis in names',
      'sea_level_2 is 2 * 3 * 4',
      '<p dir="auto">sea_level_2 is 2 * 3 * 4</p>',
    ],
    [
      'no emphasis in products and names of programs',
      '10*20 m and 5*3 m, a*b*c, __init__.py, grün*blau*rot and *p<0.05',
      '<p dir="auto">10*20 m and 5*3 m, a*b*c, __init__.py, grün*blau*rot and *p&#60;0.05</p>',
    ],
    [
      'emphasis before and after signs',
      '(*E. coli*), **bold**: _it_; "*a*"',
      '<p dir="auto">(<em>E. coli</em>), <strong>bold</strong>: <em>it</em>; &#34;<em>a</em>&#34;</p>',
    ],
    ['a list', '- a\n- b\n  more', '<ul dir="auto"><li>a</li><li>b\nmore</li></ul>'],
    [
      'a numbered list, with the numbers that it has',
      '1. a\n2. b\n\nWait.\n\n3. c',
      '<ol dir="auto"><li value="1">a</li><li value="2">b</li></ol><p dir="auto">Wait.</p><ol dir="auto"><li value="3">c</li></ol>',
    ],
    ['a date', '3. Oktober 1990', '<ol dir="auto"><li value="3">Oktober 1990</li></ol>'],
    [
      'a line across',
      'a\n\n* * *\n\nb',
      '<p dir="auto">a</p><p dir="auto">* * *</p><p dir="auto">b</p>',
    ],
    ['a formula', '\\(a \\le b\\)', '<p dir="auto">\\(a \\le b\\)</p>'],
    [
      'code',
      '`a<b` and\n\n```r\nx <- 1\n```',
      '<p dir="auto"><code>a&#60;b</code> and</p><pre><code>x &#60;- 1</code></pre>',
    ],
    ['an escaped mark', '\\*a\\*', '<p dir="auto">*a*</p>'],
    ['a heading', '## Methods', '<p class="heading" dir="auto">Methods</p>'],
  ] as const)('shows %s', ([, source, html]) => {
    expect(markdownHtml(source)).toBe(html)
  })

  it('links to web addresses, with words or bare, and leaves a full stop outside', () => {
    const rel = 'rel="external nofollow noreferrer"'
    expect(markdownHtml('[paper](https://example.org/a_b_c)')).toContain(
      `<a href="https://example.org/a_b_c" ${rel}>paper</a>`,
    )
    expect(markdownHtml('See https://example.org/x_y (or http://b.example/?q=1&r=2).')).toBe(
      `<p dir="auto">See <a href="https://example.org/x_y" ${rel}>https://example.org/x_y</a> ` +
        `(or <a href="http://b.example/?q=1&#38;r=2" ${rel}>http://b.example/?q=1&#38;r=2</a>).</p>`,
    )
  })

  it.for([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](https://x"onmouseover="alert(1))',
    '[a](data:text/html,<script>)',
    'https://x"><script>alert(1)</script>',
    '```\n</code><script>alert(1)</script>\n```',
    '**<b onclick=x>**',
  ])('makes no markup and no script of %s', (source) => {
    const html = markdownHtml(source)
    const tags = [...html.matchAll(/<\/?([a-z]+)/g)].map(([, name]) => name)
    expect(
      tags.filter((name) => !['p', 'a', 'pre', 'code', 'strong'].includes(name ?? '')),
    ).toEqual([])
    for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^https?:/)
    expect(html.replaceAll(/<a href="[^"]*" rel="[^"]*">/g, '')).not.toMatch(/<[^>]*\son/)
  })

  it.for(['*', '_', '[', '`', '](', '[](', '\\', '- ', '1. ', 'https://'])(
    'reads a hundred thousand of %s',
    (mark) => {
      expect(markdownHtml(mark.repeat(100_000)).length).toBeGreaterThan(0)
    },
  )
})
