import { text } from '../../text/text.ts'
import { sayFailure, StatusBadge } from '../ui/messages.tsx'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { useState } from 'preact/hooks'

interface EditHeadProps {
  readonly title: string
  readonly editor: DraftEditor
}

/** The title of the deposit, its status, and whether it is saved. */
export function EditHead({ title, editor }: EditHeadProps) {
  const { deposit } = editor.view
  const { status } = deposit.metadata._deposit
  return (
    <header class="edit-head">
      <h1>{title || text('untitled')}</h1>
      <div class="edit-state">
        <StatusBadge deposit={deposit} />
        {status === 'draft' && <SaveStatus editor={editor} />}
      </div>
    </header>
  )
}

/** Whether the typed text is saved at the daemon. */
function SaveStatus({ editor }: { readonly editor: DraftEditor }) {
  const { state, failure } = editor.view
  const [isCopying, setCopying] = useState(false)
  const copy = async () => {
    setCopying(true)
    await copyToNew(editor)
    setCopying(false)
  }
  return (
    <span class={`save-status ${state}`}>
      <span role="status">
        {text(`save.${state}`)}{' '}
        {(state === 'failed' || state === 'deleted') && <span class="quiet">{failure}</span>}
      </span>
      {state === 'failed' && (
        <button type="button" onClick={() => void editor.save()}>
          {text('save.again')}
        </button>
      )}
      {state === 'deleted' && (
        <button type="button" disabled={isCopying} onClick={() => void copy()}>
          {text('save.copy')}
        </button>
      )}
    </span>
  )
}

async function copyToNew(editor: DraftEditor): Promise<void> {
  try {
    location.assign(await editor.copyToNew())
  } catch (error) {
    sayFailure(error)
  }
}
