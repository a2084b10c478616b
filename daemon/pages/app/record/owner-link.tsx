import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import { callJson } from '../api/http.ts'
import { readSession } from '../api/session.ts'

/** The way back to the deposit of a record, for who may change it. */
export function OwnerLink({ deposit }: { readonly deposit: string }) {
  const [page, setPage] = useState<string>()
  useEffect(() => {
    if (!readSession()) return
    // Most readers own nothing here: then there is no link, and nothing to be said about it.
    callJson<Deposit>(deposit).then(
      ({ links }) => setPage(pageOf(links)),
      () => undefined,
    )
  }, [deposit])
  if (page === undefined) return null
  return (
    <a class="button" href={page}>
      {text('record.edit')}
    </a>
  )
}

/** The reader may have come by another name of this service, under which they are signed in. */
function pageOf({ html = '', self = '' }: Deposit['links']): string {
  const isOurs = URL.canParse(html) && new URL(html).origin === new URL(self).origin
  return isOurs ? new URL(html).pathname : html
}
