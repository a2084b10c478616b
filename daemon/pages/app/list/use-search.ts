import { useEffect, useState } from 'preact/hooks'
import type { DepositApi, SearchResult } from '../api/deposits.ts'
import { ApiProblem } from '../api/http.ts'
import { pageSize, toParameters, type ListRequest } from './list-request.ts'

export interface Search {
  readonly result?: SearchResult
  readonly failure?: string
  readonly isBusy: boolean
}

/** Milliseconds of rest before what was typed is looked for. */
const rest = 150

/** Asks again whenever the request changes; what was found before stays until there is more. */
export function useSearch(api: DepositApi, request: ListRequest): Search {
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
  }, [asked])
  return search
}

function describe(error: unknown): string {
  if (error instanceof ApiProblem) {
    const faults = error.faults.map(({ message }) => message)
    return [error.message, ...faults.filter((fault) => !error.message.includes(fault))].join(' ')
  }
  return error instanceof Error ? error.message : String(error)
}
