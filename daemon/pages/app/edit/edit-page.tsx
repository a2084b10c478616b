import { useEffect, useMemo, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { depositApi } from '../api/deposits.ts'
import { ApiProblem } from '../api/http.ts'
import type { Page } from '../api/page.ts'
import { DepositEditor } from './deposit-editor.tsx'
import { loadDeposit, type Loaded } from '../draft/load-deposit.ts'

/** A deposit, from the first word to its publication. */
export function EditPage({ page }: { readonly page: Page }) {
  const api = useMemo(() => depositApi(page), [page])
  const [loaded, setLoaded] = useState<Loaded>()
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    loadDeposit(page, api, page.id ?? '').then(setLoaded, setFailure)
  }, [])
  if (loaded) return <DepositEditor page={page} api={api} loaded={loaded} />
  if (failure !== undefined) return <LoadFailure page={page} failure={failure} />
  return <p class="quiet">{text('edit.loading')}</p>
}

function LoadFailure({ page, failure }: { readonly page: Page; readonly failure: unknown }) {
  const isGone = failure instanceof ApiProblem && failure.status === 410
  const message = failure instanceof Error ? failure.message : String(failure)
  return (
    <section class="tombstone">
      <h1>{text(isGone ? 'tombstone.title' : 'edit.unavailable')}</h1>
      <p>{isGone ? text('tombstone.explain') : message}</p>
      <p>
        <a href={page.pages.list}>{text('tombstone.back')}</a>
      </p>
    </section>
  )
}
