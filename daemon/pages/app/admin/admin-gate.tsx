import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { readMe } from '../api/me.ts'
import type { Page } from '../api/page.ts'
import { onSessionChange, readSession } from '../api/session.ts'
import { Notice } from '../ui/messages.tsx'

type State = 'asking' | 'refused' | { readonly failure: string } | { readonly Shown: AdminPage }
type AdminPage = ComponentType<{ readonly page: Page }>

/** Loads the pages for administrators for those who are some; the interface asks again. */
export function AdminGate({ page }: { readonly page: Page }) {
  const [state, setState] = useState<State>('asking')
  const ask = async () => {
    if (readSession() === undefined) return
    try {
      const { roles } = await readMe(page)
      if (!roles.includes('administrator')) setState('refused')
      else setState({ Shown: (await import('./admin-page.tsx')).AdminPage })
    } catch (error) {
      setState({ failure: error instanceof Error ? error.message : String(error) })
    }
  }
  useEffect(() => {
    void ask()
    return onSessionChange(() => void ask())
  }, [])
  if (state === 'asking') return <p class="quiet">{text('admin.loading')}</p>
  if (state === 'refused') return <Refused page={page} />
  if ('failure' in state) return <Notice kind="bad">{state.failure}</Notice>
  return <state.Shown page={page} />
}

function Refused({ page }: { readonly page: Page }) {
  return (
    <section class="tombstone">
      <p class="tombstone-mark" aria-hidden="true">
        403
      </p>
      <h1>{text('admin.refused')}</h1>
      <p>{text('admin.refusedExplain')}</p>
      <p>
        <a href={page.pages.list}>{text('tombstone.back')}</a>
      </p>
    </section>
  )
}
