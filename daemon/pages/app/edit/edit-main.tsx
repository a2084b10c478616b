import type { Ref } from 'preact'
import { useMemo } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { Fault } from '../api/http.ts'
import { ConflictPanel } from '../draft/conflict-panel.tsx'
import { FilesSection } from '../files/files-section.tsx'
import { DepositForm } from '../form/deposit-form.tsx'
import { revealField } from '../form/object-template.tsx'
import type { JsonObject } from '../api/json.ts'
import type { Page } from '../api/page.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { FaultSummary } from './fault-summary.tsx'
import type { Loaded } from '../draft/load-deposit.ts'

interface EditMainProps {
  readonly page: Page
  readonly editor: DraftEditor
  readonly loaded: Loaded
  /** What is wrong whatever comes next. */
  readonly live: readonly Fault[]
  /** What the last rehearsal found. */
  readonly rehearsed: readonly Fault[]
  readonly summary: Ref<HTMLDivElement>
  readonly onChange: (document: JsonObject) => void
  /** Told which uploads are not finished. */
  readonly onUploads: (ids: ReadonlySet<string>) => void
}

/** What is to be decided, the files, and the form. */
export function EditMain(props: EditMainProps) {
  const { page, editor, loaded, live, rehearsed, summary, onChange, onUploads } = props
  const { deposit, document: metadata, conflict, formVersion } = editor.view
  const { schema } = loaded.form
  const faults = useMemo(() => [...live, ...rehearsed], [live, rehearsed])
  return (
    <div class="edit-main">
      {conflict && (
        <ConflictPanel
          title={text('conflict.saved')}
          explain={text('conflict.savedExplain')}
          merge={conflict}
          labels={schema}
          onSettle={(choices) => void editor.settle(choices)}
        />
      )}
      <div ref={summary}>
        <FaultSummary faults={rehearsed} labels={schema} onGo={revealField} />
      </div>
      <FilesSection page={page} deposit={deposit} onUploads={onUploads} />
      <DepositForm
        key={formVersion}
        form={loaded.form}
        layout={loaded.layout}
        document={metadata}
        faults={faults}
        isReadonly={deposit.metadata._deposit.status !== 'draft'}
        onChange={onChange}
      />
    </div>
  )
}
