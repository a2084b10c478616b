/** What the list shows: the same as the address of the page, so that it can be kept and sent. */
export interface ListRequest {
  readonly q: string
  readonly status: '' | 'draft' | 'published'
  readonly sort: '' | SortName
  readonly page: number
}

export const sortNames = ['mostrecent', '-mostrecent', 'bestmatch'] as const
export type SortName = (typeof sortNames)[number]

export const pageSize = 10

export function readRequest(search: string): ListRequest {
  const parameters = new URLSearchParams(search)
  const status = parameters.get('status')
  const sort = parameters.get('sort')
  const page = Number(parameters.get('page') ?? 1)
  return {
    q: parameters.get('q') ?? '',
    status: status === 'draft' || status === 'published' ? status : '',
    sort: sortNames.find((name) => name === sort) ?? '',
    page: Number.isInteger(page) && page > 0 ? page : 1,
  }
}

/** Keeps the address of the page in step, without a trail of half-typed words behind it. */
export function showInAddress(request: ListRequest): void {
  const { q, status, sort, page } = request
  const parameters = new URLSearchParams({
    ...(q && { q }),
    ...(status && { status }),
    ...(sort && { sort }),
    ...(page > 1 && { page: String(page) }),
  })
  const query = parameters.toString()
  history.replaceState(null, '', location.pathname + (query && `?${query}`))
}

/** What the daemon is asked. A word that is still being typed matches what begins with it. */
export function toParameters({ q, status, sort, page }: ListRequest): URLSearchParams {
  const isPlain = /^[\p{L}\p{N}\s]*[\p{L}\p{N}]$/u.test(q)
  return new URLSearchParams({
    ...(q.trim() && { q: isPlain ? `${q}*` : q }),
    ...(status && { status }),
    ...(sort && { sort }),
    page: String(page),
    size: String(pageSize),
  })
}
