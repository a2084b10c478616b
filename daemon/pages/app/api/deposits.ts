import type { DepositBody, RehearsalBody, SearchBody } from '../../../../core/contract/schemas.ts'
import type { HistoryBody } from '../../../../core/contract/history.ts'
import type { JsonObject } from './json.ts'
import { fillPath, type Page } from './page.ts'
import { call, callJson, inLanguage, nextOf } from './http.ts'

/** A deposit as the daemon shows it. */
export interface Deposit extends Readonly<Omit<DepositBody, 'metadata'>> {
  readonly metadata: JsonObject & { readonly _deposit: DepositFacts; readonly $schema?: string }
}

/** The reserved part of a deposit's document. */
export interface DepositFacts extends JsonObject {
  readonly status: 'draft' | 'published'
  readonly value: string
  readonly pid: number
  /** Revision of the record that the last publish made, or an edit took over. */
  readonly revision_id: number
}

export interface SearchResult extends Readonly<Omit<SearchBody, 'hits'>> {
  readonly hits: { readonly hits: readonly Deposit[]; readonly total: number }
}

/** Faults that prevent publishing, and recommendations. */
export type Rehearsal = Readonly<RehearsalBody>

/** The deposits of the daemon, at the routes that the page names. */
export function depositApi({ routes }: Pick<Page, 'routes'>) {
  const { list } = routes
  const item = (id: string): string => fillPath(routes.deposits, id)
  return {
    /** A page of `size` results; the service ends it early where it is large. */
    search: async (parameters: URLSearchParams, size: number, signal: AbortSignal) => {
      const first = await callJson<SearchResult>(`${list}?${parameters.toString()}`, { signal })
      const hits = [...first.hits.hits]
      for (let next = first.links.next; next !== undefined && hits.length < size;) {
        const url = new URL(next)
        const { searchParams: place } = url
        // Pages are counted in sizes: with another size the same number would be another place.
        const [page, each] = [place.get('page'), Number(place.get('size'))]
        if (page !== null) place.set('offset', String((Number(page) - 1) * each))
        place.delete('page')
        place.set('size', String(size - hits.length))
        const more = await callJson<SearchResult>(`${list}${url.search}`, { signal })
        hits.push(...more.hits.hits)
        next = more.hits.hits.length > 0 ? more.links.next : undefined
      }
      return { ...first, hits: { ...first.hits, hits } }
    },
    /** @param key the same for the same request: sent again, it makes no second deposit */
    create: (document: JsonObject, key?: string) =>
      callJson<Deposit>(list, {
        method: 'POST',
        body: document,
        ...(key !== undefined && { headers: { 'idempotency-key': key } }),
      }),
    read: (id: string) => callJson<Deposit>(item(id)),
    patch: (id: string, patch: readonly JsonObject[], revision: number) =>
      callJson<Deposit>(item(id), {
        method: 'PATCH',
        body: patch,
        type: 'application/json-patch+json',
        headers: { 'if-match': `"${revision}"` },
      }),
    remove: (id: string) => call(item(id), { method: 'DELETE' }),
    /** @param revision the only one on which it is to run */
    run: (id: string, action: string, body?: JsonObject, revision?: number) =>
      callJson<Deposit>(`${item(id)}/actions/${action}`, {
        method: 'POST',
        ...(body && { body }),
        ...(revision !== undefined && { headers: { 'if-match': `"${revision}"` } }),
      }),
    /** The changes of the metadata, newest first; of many the newest. */
    history: (id: string) => callJson<HistoryBody>(`${item(id)}/history`),
    /** A part of the same list, and where its rest is. @param from that address; the newest without */
    historyPage: async (id: string, from?: string) => {
      const response = await call(from ?? `${item(id)}/history?size=25`)
      const next = nextOf(response)
      const changes = (await response.json()) as HistoryBody
      return { changes, ...(next !== undefined && { next }) }
    },
    rehearse: async (id: string) => {
      const answer = await callJson<Rehearsal>(`${item(id)}/actions/publish`)
      const { errors, warnings } = answer
      return { ...answer, errors: errors.map(inLanguage), warnings: warnings.map(inLanguage) }
    },
    /** A record, or a revision of one. */
    document: (url: string) => callJson<Pick<Deposit, 'metadata' | 'revision'>>(url),
    schema: (url: string) => callJson<JsonObject>(url),
  }
}

export type DepositApi = ReturnType<typeof depositApi>
