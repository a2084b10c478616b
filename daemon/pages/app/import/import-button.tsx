import type { RJSFSchema } from '@rjsf/utils'
import { useState } from 'preact/hooks'
import { text } from '../../text/text.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { sayFailure } from '../ui/messages.tsx'
import type { ImportDialog } from './import-dialog.tsx'

interface ImportButtonProps {
  readonly editor: DraftEditor
  readonly schema: RJSFSchema
}

/** Opens {@link ImportDialog}, which is loaded then. */
export function ImportButton({ editor, schema }: ImportButtonProps) {
  const [Shown, setShown] = useState<typeof ImportDialog>()
  const open = async (): Promise<void> => {
    const { ImportDialog: found } = await import('./import-dialog.tsx')
    setShown(() => found)
  }
  return (
    <p class="form-tools">
      <button type="button" onClick={() => void open().catch(sayFailure)}>
        {text('import.open')}
      </button>
      {Shown && <Shown editor={editor} schema={schema} onClose={() => setShown(undefined)} />}
    </p>
  )
}
