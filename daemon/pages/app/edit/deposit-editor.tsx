import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { DepositApi } from '../api/deposits.ts'
import type { Fault } from '../api/http.ts'
import { ActionsPanel } from '../actions/actions-panel.tsx'
import type { Page } from '../api/page.ts'
import { EditHead } from './edit-head.tsx'
import { EditMain } from './edit-main.tsx'
import type { Loaded } from '../draft/load-deposit.ts'
import { useEditor } from './use-editor.ts'

/** What stands behind the name of every page: the template's word for the service. */
const site = document.title.split(' · ').at(-1) ?? ''

interface DepositEditorProps {
  readonly page: Page
  readonly api: DepositApi
  readonly loaded: Loaded
}

/** Files and metadata on one side, what can be done with them on the other. */
export function DepositEditor({ page, api, loaded }: DepositEditorProps) {
  const editor = useEditor(api, loaded.deposit)
  const { deposit, document: metadata } = editor.view
  const [rehearsed, setRehearsed] = useState<readonly Fault[]>([])
  const live = useMemo(() => loaded.findFaults(metadata), [metadata])
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
      live={live}
      rehearsed={rehearsed}
      summary={summary}
      onChange={(changed) => {
        editor.change(changed)
        if (rehearsed.length > 0) setRehearsed(withoutChanged(rehearsed, metadata, changed))
      }}
      onUploads={(unfinished) =>
        setRehearsed((faults) =>
          faults.filter(({ upload }) => upload === undefined || unfinished.has(upload)),
        )
      }
    />
  )
  const actions = (
    <ActionsPanel
      key="actions"
      page={page}
      api={api}
      editor={editor}
      labels={loaded.form.schema}
      onFaults={(found) => {
        setRehearsed(found)
        requestAnimationFrame(() => summary.current?.querySelector('section')?.focus())
      }}
    />
  )
  const isDraft = deposit.metadata._deposit.status === 'draft'
  return (
    <div class="edit-page">
      <EditHead title={title} editor={editor} />
      {/* On a narrow screen they stand in this order. */}
      <div class="edit-body">{isDraft ? [main, actions] : [actions, main]}</div>
    </div>
  )
}

/** A fault goes as soon as its field is changed; the next rehearsal says whether rightly. */
function withoutChanged(
  faults: readonly Fault[],
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly Fault[] {
  return faults.filter(({ field }) => {
    const name = field.split('/')[1] ?? ''
    return before[name] === after[name]
  })
}
