import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { counted, formatNumber, text } from '../../text/text.ts'
import { depositApi, type Deposit } from '../api/deposits.ts'
import type { Page } from '../api/page.ts'
import { reviewsUrl } from '../api/reviews.ts'
import { Notice, sayFailure } from '../ui/messages.tsx'
import type { DraftSelection } from './draft-selection.tsx'
import { DepositRow } from './deposit-row.tsx'
import { Facets, SearchField, SortChoice } from './list-tools.tsx'
import { pageSize, readRequest, showInAddress, useSearch } from './list-request.ts'
import type { ListRequest } from './list-request.ts'

/** The user's deposits, with a search as they type. */
export function ListPage({ page }: { readonly page: Page }) {
  const api = useMemo(() => depositApi(page), [page])
  const [request, setRequest] = useState(() => readRequest(location.search))
  const [version, setVersion] = useState(0)
  const { result, failure, isBusy } = useSearch(api, request, version)
  const [selected, select] = useState<readonly Deposit[]>([])
  const list = useRef<HTMLOListElement>(null)
  // Two keys may be pressed before the page is drawn again.
  const latest = useRef(request)
  latest.current = request
  const change = (part: Partial<ListRequest>) => {
    const before = latest.current
    const next = { ...before, page: 1, ...part }
    latest.current = next
    // Back leads to the list before the search, and not through half-typed words.
    const isTyping = part.q !== undefined && (part.q === '') === (before.q === '')
    showInAddress(next, isTyping ? 'replace' : 'push')
    setRequest(next)
  }
  useEffect(() => {
    const goBack = () => setRequest(readRequest(location.search))
    addEventListener('popstate', goBack)
    return () => removeEventListener('popstate', goBack)
  }, [])
  const total = result?.hits.total ?? 0
  const { isReview } = request
  return (
    <div class="list-page">
      <div class="page-head">
        <h1>{text(isReview ? 'review.waiting' : 'list.title')}</h1>
        <p class="quiet" role="status">
          {result && counted(isReview ? 'review.waiting' : 'list.found', total)}
        </p>
        {isReview && <a href={page.pages.list}>{text('review.all')}</a>}
        {!isReview && page.review !== undefined && (
          <a href={reviewsUrl(page)}>{text('review.waiting')}</a>
        )}
      </div>
      <div class="list-tools" hidden={isReview}>
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
      {selected.length > 0 && (
        <Selection
          api={api}
          drafts={selected}
          onDone={(left) => {
            select(left)
            setVersion(version + 1)
          }}
        />
      )}
      {failure && <Notice kind="warn">{failure}</Notice>}
      {result && total === 0 && <NothingFound page={page} request={request} />}
      <ol class="deposit-list" ref={list} onKeyDown={(event) => moveFocus(list.current, event)}>
        {result?.hits.hits.map((deposit) => (
          <DepositRow
            key={deposit.id}
            page={page}
            deposit={deposit}
            isSelected={selected.some(({ id }) => id === deposit.id)}
            onSelect={(draft, isOn) => {
              const others = selected.filter(({ id }) => id !== draft.id)
              select(isOn ? [...others, draft] : others)
            }}
          />
        ))}
      </ol>
      <Paging page={request.page} total={total} onTurn={(number) => change({ page: number })} />
    </div>
  )
}

/** {@link DraftSelection}, once it is loaded. */
function Selection(props: Parameters<typeof DraftSelection>[0]) {
  const [Loaded, setLoaded] = useState<typeof DraftSelection>()
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { DraftSelection: found } = await import('./draft-selection.tsx')
      setLoaded(() => found)
    }
    load().catch(sayFailure)
  }, [])
  return Loaded ? <Loaded {...props} /> : null
}

interface NothingFoundProps {
  readonly page: Page
  readonly request: ListRequest
}

function NothingFound({ page, request }: NothingFoundProps) {
  if (request.isReview) {
    return (
      <div class="empty">
        <p class="empty-title">{text('review.waitingNone')}</p>
        <p>{text('review.waitingHint')}</p>
      </div>
    )
  }
  const isSearch = request.q !== '' || request.status !== ''
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

interface PagingProps {
  readonly page: number
  readonly total: number
  readonly onTurn: (page: number) => void
}

export function Paging({ page, total, onTurn }: PagingProps) {
  if (total <= pageSize) return null
  const last = Math.ceil(total / pageSize)
  const [from, to] = [(page - 1) * pageSize + 1, Math.min(page * pageSize, total)]
  return (
    <nav class="paging" aria-label={text('paging.label')}>
      <button type="button" disabled={page <= 1} onClick={() => onTurn(page - 1)}>
        {text('paging.previous')}
      </button>
      <span aria-live="polite">
        {text('paging.shown', { from, to, total: formatNumber(total) })}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onTurn(page + 1)}>
        {text('paging.next')}
      </button>
    </nav>
  )
}

type Step = 'first' | 'last' | 'next' | 'previous'

const steps = new Map<string, Step>([
  ['ArrowDown', 'next'],
  ['ArrowUp', 'previous'],
  ['Home', 'first'],
  ['End', 'last'],
])

/** Moves the focus among the links of a list: to one of its ends, or by an arrow key. */
export function moveFocus(list: HTMLElement | null, by: Step | KeyboardEvent): void {
  const step = typeof by === 'string' ? by : steps.get(by.key)
  if (!list || step === undefined) return
  const links = [...list.querySelectorAll<HTMLElement>('a.row-link')]
  const current = links.findIndex((link) => link === document.activeElement)
  const target = links.at(indexOf(step, current, links.length))
  if (typeof by !== 'string') by.preventDefault()
  if (step === 'previous' && current === 0) document.querySelector<HTMLElement>('#search')?.focus()
  else target?.focus()
}

function indexOf(step: Step, current: number, length: number): number {
  if (step === 'first') return 0
  if (step === 'last') return -1
  return step === 'next' ? Math.min(current + 1, length - 1) : Math.max(current - 1, 0)
}
