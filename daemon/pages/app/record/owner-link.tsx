import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import { callJson } from '../api/http.ts'
import { readSession } from '../session/session.ts'

/** The way back to the deposit of a record, for who may change it. */
export function OwnerLink({ deposit }: { readonly deposit: string }) {
  const [page, setPage] = useState<string>()
  useEffect(() => {
    if (!readSession()) return
    // Most readers own nothing here: then there is no link, and nothing to be said about it.
    callJson<Deposit>(deposit).then(
      ({ links }) => setPage(links['html']),
      () => undefined,
    )
  }, [deposit])
  if (page === undefined) return null
  return (
    <a class="button" href={new URL(page).pathname}>
      {text('record.edit')}
    </a>
  )
}
