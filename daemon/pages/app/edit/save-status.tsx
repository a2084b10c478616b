import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { sayFailure } from '../ui/toasts.tsx'
import type { DraftEditor } from '../draft/draft-editor.ts'

/** Whether what was typed is at the daemon. */
export function SaveStatus({ editor }: { readonly editor: DraftEditor }) {
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
