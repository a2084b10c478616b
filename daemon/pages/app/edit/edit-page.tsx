import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { depositApi } from '../api/deposits.ts'
import type { Deposit, DepositApi } from '../api/deposits.ts'
import { ApiProblem } from '../api/http.ts'
import type { Fault } from '../api/http.ts'
import type { JsonObject } from '../api/json.ts'
import type { Page } from '../api/page.ts'
import { toPatch } from '../../text/field-merge.ts'
import { onSessionChange, readSession } from '../api/session.ts'
import { loadDeposit } from '../draft/load-deposit.ts'
import type { FindFaults, Loaded } from '../draft/load-deposit.ts'
import { ActionsPanel } from '../actions/actions-panel.tsx'
import { EditHead } from './edit-head.tsx'
import { EditMain } from './edit-main.tsx'
import type { Correction } from './correct-submitted.tsx'
import { isChangeable, mayCorrect } from '../people/standing.ts'
import { sayFailure } from '../ui/messages.tsx'
import type { BelowDraft } from './below-draft.tsx'
import { DraftEditor } from '../draft/draft-editor.ts'

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

/** The name of the service, which the template puts behind the title of every page. */
const site = document.title.split(' · ').at(-1) ?? ''

interface DepositEditorProps {
  readonly page: Page
  readonly api: DepositApi
  readonly loaded: Loaded
}

const noFaults: readonly Fault[] = []

/** Files and metadata on one side, what can be done with them on the other. */
export function DepositEditor({ page, api, loaded }: DepositEditorProps) {
  const { standing } = loaded
  const { editor, correction } = useEditor(api, loaded)
  const { deposit, document: metadata } = editor.view
  const [isBusy, setBusy] = useState(false)
  const [rehearsed, setRehearsed] = useState<readonly Fault[]>([])
  const [findFaults, setFindFaults] = useState<FindFaults>()
  useEffect(() => {
    loaded.loadFaults().then((find) => setFindFaults(() => find), sayFailure)
  }, [loaded])
  const live = useMemo(() => findFaults?.(metadata) ?? noFaults, [metadata, findFaults])
  const shown = useRef(metadata)
  useEffect(() => {
    // Also what an import, an undo or somebody else changed.
    const before = shown.current
    shown.current = metadata
    setRehearsed((faults) => withoutChanged(faults, before, metadata))
  }, [metadata])
  const summary = useRef<HTMLDivElement>(null)
  const title = typeof metadata['title'] === 'string' ? metadata['title'] : ''
  useEffect(() => {
    document.title = `${title || text('untitled')} · ${site}`
  }, [title])
  const main = (
    <EditMain
      key="main"
      page={page}
      editor={editor}
      loaded={loaded}
      correction={correction}
      isBusy={isBusy}
      live={live}
      rehearsed={rehearsed}
      summary={summary}
      onChange={(changed) => editor.change(changed)}
      onUploads={(unfinished) =>
        setRehearsed((faults) =>
          faults.filter(({ upload }) => upload === undefined || unfinished.has(upload)),
        )
      }
    />
  )
  // The holder of a link runs no action, and sees no names.
  const actions = page.isByLink !== true && (
    <ActionsPanel
      key="actions"
      page={page}
      api={api}
      editor={editor}
      standing={standing}
      labels={loaded.form.schema}
      isBusy={isBusy}
      onBusy={setBusy}
      onFaults={(found) => {
        setRehearsed(found)
        requestAnimationFrame(() => summary.current?.querySelector('section')?.focus())
      }}
    />
  )
  const isDraft = deposit.metadata._deposit.status === 'draft'
  return (
    <div class="edit-page">
      <EditHead
        title={title}
        page={page}
        api={api}
        editor={editor}
        canChange={isChangeable(deposit, standing)}
      />
      {/* On a narrow screen they stand in this order. */}
      <div class="edit-body">{isDraft ? [main, actions] : [actions, main]}</div>
      {page.isByLink !== true && <Below page={page} api={api} editor={editor} loaded={loaded} />}
    </div>
  )
}

/** {@link BelowDraft}, once it is loaded. */
function Below(props: Parameters<typeof BelowDraft>[0]) {
  const [Loaded, setLoaded] = useState<typeof BelowDraft>()
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { BelowDraft: found } = await import('./below-draft.tsx')
      setLoaded(() => found)
    }
    load().catch(sayFailure)
  }, [])
  return Loaded ? <Loaded {...props} /> : null
}

/** A fault goes as soon as its field is changed; the next rehearsal says whether rightly. */
function withoutChanged(
  faults: readonly Fault[],
  before: JsonObject,
  after: JsonObject,
): readonly Fault[] {
  if (before === after || faults.length === 0) return faults
  const changed = new Set(
    toPatch(before, after).map(({ path }) => (typeof path === 'string' ? path.split('/')[1] : '')),
  )
  const left = faults.filter(({ field }) => !changed.has(field.split('/')[1] ?? ''))
  return left.length === faults.length ? faults : left
}

/**
 * The editor of a deposit; the component is drawn again whenever its view changes. A draft that waits
 * for reviewers is open to those who correct it, once they have said that they do.
 */
function useEditor(api: DepositApi, { deposit, standing }: Loaded) {
  const isCorrecting = useRef(false)
  const editor = useMemo(() => {
    const isOpen = (shown: Deposit): boolean =>
      isChangeable(shown, standing) || (isCorrecting.current && mayCorrect(standing, shown))
    return new DraftEditor(api, deposit, isOpen)
  }, [api, deposit])
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => editor.subscribe(() => draw(undefined)), [editor])
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      // Changes are kept in this browser; only a running save is worth a question.
      if (editor.view.state === 'saving') event.preventDefault()
    }
    const retry = () => editor.retry()
    // Without an answer the page shows what it did; the next save says what is wrong.
    const refresh = () => void editor.refresh().catch(() => undefined)
    addEventListener('beforeunload', warn)
    addEventListener('online', retry)
    addEventListener('focus', retry)
    addEventListener('focus', refresh)
    const endListening = onSessionChange(() => {
      if (readSession()) editor.retry()
    })
    return () => {
      endListening()
      removeEventListener('beforeunload', warn)
      removeEventListener('online', retry)
      removeEventListener('focus', retry)
      removeEventListener('focus', refresh)
    }
  }, [editor])
  const correction: Correction = {
    isOpen: isCorrecting.current,
    begin: () => {
      isCorrecting.current = true
      draw(undefined)
    },
    end: async () => {
      if (!(await editor.save())) return
      isCorrecting.current = false
      draw(undefined)
    },
  }
  return { editor, correction }
}
