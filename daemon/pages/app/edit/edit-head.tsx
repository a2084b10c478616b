import { text } from '../../text/text.ts'
import { StatusBadge } from '../ui/status-badge.tsx'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { SaveStatus } from './save-status.tsx'

interface EditHeadProps {
  readonly title: string
  readonly editor: DraftEditor
}

/** What is being edited, and whether all of it is saved. */
export function EditHead({ title, editor }: EditHeadProps) {
  const { status } = editor.view.deposit.metadata._deposit
  return (
    <header class="edit-head">
      <h1>{title || text('untitled')}</h1>
      <div class="edit-state">
        <StatusBadge status={status} />
        {status === 'draft' && <SaveStatus editor={editor} />}
      </div>
    </header>
  )
}
