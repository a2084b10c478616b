import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { DepositApi } from '../api/deposits.ts'
import type { Fault } from '../api/http.ts'
import { ActionsPanel } from '../actions/actions-panel.tsx'
import { ConflictPanel } from '../conflict/conflict-panel.tsx'
import { FilesSection } from '../files/files-section.tsx'
import { DepositForm } from '../form/deposit-form.tsx'
import { revealField } from '../form/object-template.tsx'
import type { Page } from '../page.ts'
import { StatusBadge } from '../ui/status-badge.tsx'
import { FaultSummary } from './fault-summary.tsx'
import type { Loaded } from './load-deposit.ts'
import { SaveStatus } from './save-status.tsx'
import { useEditor } from './use-editor.ts'

interface DepositEditorProps {
  readonly page: Page
  readonly api: DepositApi
  readonly loaded: Loaded
}

/** Files and metadata on one side, what can be done with them on the other. */
export function DepositEditor({ page, api, loaded }: DepositEditorProps) {
  const editor = useEditor(api, loaded.deposit)
  const { deposit, document: metadata, conflict, formVersion } = editor.view
  const [rehearsed, setRehearsed] = useState<readonly Fault[]>([])
  const live = useMemo(() => loaded.findFaults(metadata), [metadata])
  const faults = useMemo(() => [...live, ...rehearsed], [live, rehearsed])
  const { status } = deposit.metadata._deposit
  const title = typeof metadata['title'] === 'string' ? metadata['title'] : ''
  const summary = useRef<HTMLDivElement>(null)
  useEffect(() => {
    document.title = `${title || text('untitled')} · ${text('brand')}`
  }, [title])
  return (
    <div class="edit-page">
      <header class="edit-head">
        <h1>{title || text('untitled')}</h1>
        <div class="edit-state">
          <StatusBadge status={status} />
          {status === 'draft' && <SaveStatus editor={editor} />}
        </div>
      </header>
      <div class="edit-body">
        <div class="edit-main">
          {conflict && (
            <ConflictPanel
              title={text('conflict.saved')}
              explain={text('conflict.savedExplain')}
              merge={conflict}
              labels={loaded.form.schema}
              onSettle={(choices) => void editor.settle(choices)}
            />
          )}
          <div ref={summary}>
            <FaultSummary faults={rehearsed} labels={loaded.form.schema} onGo={revealField} />
          </div>
          <FilesSection page={page} deposit={deposit} />
          <DepositForm
            key={formVersion}
            form={loaded.form}
            layout={loaded.layout}
            document={metadata}
            faults={faults}
            isReadonly={status !== 'draft'}
            onChange={(changed) => {
              editor.change(changed)
              if (rehearsed.length > 0) setRehearsed(withoutChanged(rehearsed, metadata, changed))
            }}
          />
        </div>
        <ActionsPanel
          page={page}
          api={api}
          editor={editor}
          labels={loaded.form.schema}
          onFaults={(found) => {
            setRehearsed(found)
            requestAnimationFrame(() => summary.current?.querySelector('section')?.focus())
          }}
        />
      </div>
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
