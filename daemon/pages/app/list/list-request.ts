import { useEffect, useState } from 'preact/hooks'
import type { DepositApi, SearchResult } from '../api/deposits.ts'
import { ApiProblem } from '../api/http.ts'

/** The search that the list shows; it is kept in the address of the page, for bookmarks and links. */
export interface ListRequest {
  readonly q: string
  readonly status: '' | 'draft' | 'published'
  readonly sort: '' | SortName
  readonly page: number
  /** Only drafts that wait for review. */
  readonly isReview: boolean
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
    isReview: parameters.get('review') === 'submitted',
  }
}

/** Keeps the address of the page in step. @param how whether Back leads to the request before */
export function showInAddress(request: ListRequest, how: 'push' | 'replace'): void {
  const { q, status, sort, page, isReview } = request
  const parameters = new URLSearchParams({
    ...(isReview && { review: 'submitted' }),
    ...(q && { q }),
    ...(status && { status }),
    ...(sort && { sort }),
    ...(page > 1 && { page: String(page) }),
  })
  const query = parameters.toString()
  history[`${how}State`](null, '', location.pathname + (query && `?${query}`))
}

/** The query for the daemon. The last word is searched as a prefix. */
function toParameters({ q, status, sort, page, isReview }: ListRequest): URLSearchParams {
  const place = { page: String(page), size: String(pageSize) }
  // The service combines it with no search.
  if (isReview) return new URLSearchParams({ review: 'submitted', ...place })
  const isPlain = /^[\p{L}\p{N}\s]*[\p{L}\p{N}]$/u.test(q)
  return new URLSearchParams({
    ...(q.trim() && { q: isPlain ? `${q}*` : q }),
    ...(status && { status }),
    ...(sort && { sort }),
    ...place,
  })
}

interface Search {
  readonly result?: SearchResult
  readonly failure?: string
  readonly isBusy: boolean
}

/** Milliseconds of rest before what was typed is looked for. */
const rest = 150

/**
 * Asks again whenever the request changes; the last results stay until there are new ones.
 *
 * @param version changes where the results may have changed
 */
export function useSearch(api: DepositApi, request: ListRequest, version: number): Search {
  const [search, setSearch] = useState<Search>({ isBusy: true })
  const asked = toParameters(request).toString()
  useEffect(() => {
    const abort = new AbortController()
    const look = async () => {
      setSearch((before) => ({ ...before, isBusy: true }))
      try {
        const result = await api.search(new URLSearchParams(asked), pageSize, abort.signal)
        setSearch({ result, isBusy: false })
      } catch (error) {
        if (abort.signal.aborted) return
        setSearch((before) => ({ ...before, failure: describe(error), isBusy: false }))
      }
    }
    const timer = setTimeout(() => void look(), rest)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [asked, version])
  return search
}

function describe(error: unknown): string {
  if (error instanceof ApiProblem) {
    const faults = error.faults.map(({ message }) => message)
    return [error.message, ...faults.filter((fault) => !error.message.includes(fault))].join(' ')
  }
  return error instanceof Error ? error.message : String(error)
}
