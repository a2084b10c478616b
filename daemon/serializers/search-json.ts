import type { SearchBody } from '../../core/contract/schemas.ts'
import type { Found } from '../../core/index.ts'

/** A page of results in the generic JSON of searches. */
export function toSearchBody(
  hits: SearchBody['hits']['hits'],
  { total, facets }: Found<unknown>,
  links: SearchBody['links'],
): SearchBody {
  const aggregations = Object.entries(facets).map(([name, buckets]) => {
    const counted = buckets.map(({ key, count }) => ({ key, doc_count: count }))
    return [name, { buckets: counted }] as const
  })
  return { hits: { hits, total }, aggregations: Object.fromEntries(aggregations), links }
}

interface PageLinks {
  readonly links: SearchBody['links']
  /** The same as a `Link` header. @see RFC 8288 */
  readonly header: string
}

/** Links to this page and those beside it, with the parameters of the request kept. */
export function pageLinks(
  base: string,
  url: string,
  { page, size }: { readonly page: number; readonly size: number },
  total: number,
): PageLinks {
  const at = (number: number): string => {
    const parameters = new URL(url, base).searchParams
    parameters.set('page', String(number))
    parameters.set('size', String(size))
    return `${base}?${parameters.toString()}`
  }
  const links = {
    self: at(page),
    ...(page > 1 && { prev: at(page - 1) }),
    ...(page * size < total && { next: at(page + 1) }),
  }
  const header = Object.entries(links)
    .map(([name, link]) => `<${link}>; rel="${name}"`)
    .join(', ')
  return { links, header }
}
