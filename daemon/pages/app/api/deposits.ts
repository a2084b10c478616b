import type { JsonObject } from '../json.ts'
import type { Page } from '../page.ts'
import { call, callJson, type Fault } from './http.ts'

/** A deposit as the daemon shows it. */
export interface Deposit {
  readonly id: string
  readonly metadata: JsonObject & { readonly _deposit: DepositFacts; readonly $schema?: string }
  readonly links: Readonly<Record<string, string>>
  readonly revision: number
  readonly created: string
  readonly updated: string
  readonly files?: { readonly count: number; readonly size: number }
}

/** The reserved part of a deposit's document. */
export interface DepositFacts extends JsonObject {
  readonly status: 'draft' | 'published'
  readonly value: string
  readonly pid: number
}

export interface SearchResult {
  readonly hits: { readonly hits: readonly Deposit[]; readonly total: number }
  readonly aggregations: Readonly<Record<string, Facet>>
}

interface Facet {
  readonly buckets: readonly { readonly key: string; readonly doc_count: number }[]
}

/** What stands in the way of publishing, and what is only recommended. */
export interface Rehearsal {
  readonly publishable: boolean
  readonly errors: readonly Fault[]
  readonly warnings?: readonly Fault[]
}

/** The deposits of the daemon, at the routes that the page names. */
export function depositApi({ routes }: Pick<Page, 'routes'>) {
  const list = routes.deposits.replace(/\/\{pid_value\}$/, '')
  const item = (id: string): string =>
    routes.deposits.replace('{pid_value}', encodeURIComponent(id))
  return {
    search: (parameters: URLSearchParams, signal: AbortSignal) =>
      callJson<SearchResult>(`${list}?${parameters.toString()}`, { signal }),
    create: (document: JsonObject) => callJson<Deposit>(list, { method: 'POST', body: document }),
    read: (id: string) => callJson<Deposit>(item(id)),
    patch: (id: string, patch: readonly JsonObject[], revision: number) =>
      callJson<Deposit>(item(id), {
        method: 'PATCH',
        body: patch,
        type: 'application/json-patch+json',
        headers: { 'if-match': `"${revision}"` },
      }),
    remove: (id: string) => call(item(id), { method: 'DELETE' }),
    run: (id: string, action: string) =>
      callJson<Deposit>(`${item(id)}/actions/${action}`, { method: 'POST' }),
    rehearse: (id: string) => callJson<Rehearsal>(`${item(id)}/actions/publish`),
    /** A record, or a revision of one. */
    document: (url: string) => callJson<Pick<Deposit, 'metadata'>>(url),
    schema: (url: string) => callJson<JsonObject>(url),
  }
}

export type DepositApi = ReturnType<typeof depositApi>
