import { linksetType, toSignposts, type Description, type Signpost } from '../../core/index.ts'

/** Bytes of a `Link` header. Proxies keep a whole head in 4 KB by default. */
const mostBytes = 2000

/** Relations of a header that has no room for all of them: the linkset has the rest. */
const kept: ReadonlySet<string> = new Set(['cite-as', 'type', 'license', 'describedby', 'linkset'])

/** Formats that a header names; the linkset has all of them. */
const named: ReadonlySet<string> = new Set(['json', 'datacite-xml', 'schema-org'])

/** The signposts that fit in the head of an answer: all of them, or those that lead to the rest. */
export function inHead(about: Description): readonly Signpost[] {
  const formats = about.exports.filter(({ name }) => named.has(name))
  const [linkset] = about.exports.filter(({ name }) => name === 'linkset')
  const posts = [
    ...toSignposts(about, formats),
    ...(linkset ? [{ rel: 'linkset', href: linkset.url, type: linksetType }] : []),
  ]
  // The header of ten thousand files is not written to be measured.
  if (posts.length < 100 && toLinkHeader(posts).length <= mostBytes) return posts
  return posts.filter(({ rel, href }) => kept.has(rel) && href.length < mostBytes / 4)
}

/** The same as a header. @see RFC 8288 §3 */
export function toLinkHeader(posts: readonly Signpost[]): string {
  return posts
    .map(({ rel, href, type, profile }) =>
      [
        `<${toAscii(href)}>`,
        `rel="${rel}"`,
        ...(type === undefined ? [] : [`type="${type}"`]),
        ...(profile === undefined ? [] : [`profile="${profile}"`]),
      ].join('; '),
    )
    .join(', ')
}

/** An address of an operator's own may hold what a header cannot. */
function toAscii(href: string): string {
  return new URL(href).href.replaceAll(/[<>"\\]/g, encodeURIComponent)
}
