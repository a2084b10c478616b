import { text } from '../../text/text.ts'
import type { DraftEditor } from './draft-editor.ts'

/** Whether what was typed is at the daemon. */
export function SaveStatus({ editor }: { readonly editor: DraftEditor }) {
  const { state, failure } = editor.view
  return (
    <span class={`save-status ${state}`}>
      <span role="status">{text(`save.${state}`)}</span>
      {state === 'failed' && (
        <>
          <span class="quiet">{failure}</span>
          <button type="button" onClick={() => void editor.save()}>
            {text('save.again')}
          </button>
        </>
      )}
    </span>
  )
}
