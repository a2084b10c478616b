import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { counted, text } from '../../text/text.ts'
import { depositApi } from '../api/deposits.ts'
import type { Page } from '../api/page.ts'
import { Notice } from '../ui/notice.tsx'
import { moveFocus } from './arrow-keys.ts'
import { DepositRow } from './deposit-row.tsx'
import { Facets } from './facets.tsx'
import { readRequest, showInAddress, type ListRequest } from './list-request.ts'
import { Paging } from './paging.tsx'
import { SearchField } from './search-field.tsx'
import { SortChoice } from './sort-choice.tsx'
import { useSearch } from './use-search.ts'

/** What one has, found as one types. */
export function ListPage({ page }: { readonly page: Page }) {
  const api = useMemo(() => depositApi(page), [page])
  const [request, setRequest] = useState(() => readRequest(location.search))
  const { result, failure, isBusy } = useSearch(api, request)
  const list = useRef<HTMLOListElement>(null)
  const change = (part: Partial<ListRequest>) => setRequest({ ...request, page: 1, ...part })
  useEffect(() => showInAddress(request), [request])
  const total = result?.hits.total ?? 0
  return (
    <div class="list-page">
      <div class="page-head">
        <h1>{text('list.title')}</h1>
        <p class="quiet" role="status">
          {result && counted('list.found', total)}
        </p>
      </div>
      <div class="list-tools">
        <SearchField
          value={request.q}
          isBusy={isBusy}
          onChange={(q) => change({ q })}
          onDown={() => moveFocus(list.current, 'first')}
        />
        <Facets
          chosen={request.status}
          buckets={result?.aggregations['status']?.buckets ?? []}
          onChoose={(status) => change({ status })}
        />
        <SortChoice request={request} onChoose={(sort) => change({ sort })} />
      </div>
      {failure && <Notice kind="warn">{failure}</Notice>}
      {result && total === 0 && (
        <NothingFound page={page} isSearch={request.q !== '' || request.status !== ''} />
      )}
      <ol class="deposit-list" ref={list} onKeyDown={(event) => moveFocus(list.current, event)}>
        {result?.hits.hits.map((deposit) => (
          <DepositRow key={deposit.id} page={page} deposit={deposit} />
        ))}
      </ol>
      <Paging page={request.page} total={total} onTurn={(number) => change({ page: number })} />
    </div>
  )
}

function NothingFound({ page, isSearch }: { readonly page: Page; readonly isSearch: boolean }) {
  return (
    <div class="empty">
      <p class="empty-title">{text(isSearch ? 'list.nothing' : 'list.none')}</p>
      <p>{text(isSearch ? 'list.nothingHint' : 'list.noneHint')}</p>
      {!isSearch && (
        <a class="button primary" href={page.pages.new}>
          {text('nav.new')}
        </a>
      )}
    </div>
  )
}
