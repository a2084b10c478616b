import { text } from '../../text/text.ts'
import { say, sayFailure, StatusBadge } from '../ui/messages.tsx'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { useEffect, useState } from 'preact/hooks'

interface EditHeadProps {
  readonly title: string
  /** The kind of record, where there are several. */
  readonly kind: string | undefined
  readonly editor: DraftEditor
  readonly canUndo: boolean
}

/** The title of the deposit, its status, and whether it is saved. */
export function EditHead({ title, kind, editor, canUndo }: EditHeadProps) {
  const { deposit } = editor.view
  return (
    <header class="edit-head">
      <h1>{title || text('untitled')}</h1>
      <div class="edit-state">
        {kind !== undefined && <span class="quiet">{kind}</span>}
        <StatusBadge deposit={deposit} />
        {editor.isOpen && <SaveStatus editor={editor} />}
        {canUndo && <UndoButton editor={editor} />}
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

/** Fields have an undo of their own. */
const typed = 'input, textarea, select, [contenteditable]'

/** Takes back what was saved, a change at a time; outside of fields with Ctrl+Z. */
function UndoButton({ editor }: { readonly editor: DraftEditor }) {
  const [isUndoing, setUndoing] = useState(false)
  const undo = async () => {
    setUndoing(true)
    try {
      say(text((await editor.undo()) ? 'undo.done' : 'undo.nothing'))
    } catch (error) {
      sayFailure(error)
    }
    setUndoing(false)
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === 'z'
      if (!isUndo || (event.target instanceof Element && event.target.closest(typed))) return
      event.preventDefault()
      void undo()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [editor])
  return (
    <button
      type="button"
      class="link"
      aria-keyshortcuts="Control+Z"
      title={text('undo.title')}
      disabled={isUndoing || editor.view.state === 'deleted' || editor.view.state === 'conflict'}
      onClick={() => void undo()}
    >
      {text('undo.do')}
    </button>
  )
}

async function copyToNew(editor: DraftEditor): Promise<void> {
  try {
    location.assign(await editor.copyToNew())
  } catch (error) {
    sayFailure(error)
  }
}
