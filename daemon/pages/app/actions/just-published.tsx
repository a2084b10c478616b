import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import { recordUrlOf, type Page } from '../api/page.ts'
import { CopyButton } from '../ui/copy-button.tsx'

interface JustPublishedProps {
  readonly page: Page
  readonly deposit: Deposit
  readonly hasDoi: boolean
}

/** Where the record is, how it is cited, and what can be done next. */
export function JustPublished({ page, deposit, hasDoi }: JustPublishedProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [citation, setCitation] = useState('')
  const url = recordUrlOf(page, deposit.links['record'] ?? '')
  useEffect(() => heading.current?.focus(), [])
  useEffect(() => {
    const headers = { accept: 'text/x-bibliography; style=apa' }
    const find = async () => {
      const reply = await fetch(url, { headers })
      if (reply.ok) setCitation((await reply.text()).trim())
    }
    // Without it, the page of the record has it.
    find().catch(() => undefined)
  }, [url])
  return (
    <section class="card just-published" aria-labelledby="just-published">
      <h2 id="just-published" ref={heading} tabIndex={-1}>
        {text('published.title')}
      </h2>
      <p>
        <a class="button primary" href={url}>
          {text('published.view')}
        </a>
      </p>
      {citation !== '' && (
        <>
          <p class="quiet">{text('published.cite')}</p>
          <p class="citation" dir="auto">
            {citation}
          </p>
          <CopyButton content={citation} />
        </>
      )}
      <p class="quiet">{text(hasDoi ? 'published.nextDoi' : 'published.next')}</p>
    </section>
  )
}
