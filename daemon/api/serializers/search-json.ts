import type { SearchBody } from '../../../core/contract/schemas.ts'
import type { Found } from '../../../core/index.ts'

/** A page of results in the generic JSON of searches, without the hits. */
export function toSearchFrame(
  { total, facets }: Pick<Found<unknown>, 'total' | 'facets'>,
  links: SearchBody['links'],
): SearchBody {
  const aggregations = Object.entries(facets).map(([name, buckets]) => {
    const counted = buckets.map(({ key, count }) => ({ key, doc_count: count }))
    return [name, { buckets: counted }] as const
  })
  return { hits: { hits: [], total }, aggregations: Object.fromEntries(aggregations), links }
}

interface PageLinks {
  readonly links: SearchBody['links']
  /** The same as a `Link` header. @see RFC 8288 */
  readonly header: string
}

/** Which results a page has, of how many. */
interface Place {
  readonly offset: number
  readonly size: number
  /** Results of the page that are answered: fewer than `size` where it would be too large. */
  readonly taken: number
  readonly total: number
  /** Results that can be paged to. */
  readonly window?: number
}

/** Links to this page and those beside it, with the parameters of the request kept. */
export function pageLinks(
  base: string,
  url: string,
  { offset, size, taken, total, window = Infinity }: Place,
): PageLinks {
  const at = (first: number, most: number): string => {
    const parameters = new URL(url, base).searchParams
    const isPage = first % most === 0
    parameters.delete(isPage ? 'offset' : 'page')
    if (isPage) parameters.set('page', String(first / most + 1))
    else parameters.set('offset', String(first))
    parameters.set('size', String(most))
    return `${base}?${parameters.toString()}`
  }
  const end = offset + Math.min(taken, size)
  // A page that ends early leads to all that is left of it.
  const most = Math.min(size, window - end)
  const last = (Math.ceil(total / size) - 1) * size
  const links = {
    self: at(offset, size),
    ...(offset > 0 && { prev: at(Math.max(0, Math.min(offset - size, last)), size) }),
    ...(end < total && most > 0 && { next: at(end, most) }),
  }
  const header = Object.entries(links)
    .map(([name, link]) => `<${link}>; rel="${name}"`)
    .join(', ')
  return { links, header }
}
