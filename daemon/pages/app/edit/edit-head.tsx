import { text } from '../../text/text.ts'
import { say, sayFailure, StatusBadge } from '../ui/messages.tsx'
import type { DepositApi } from '../api/deposits.ts'
import { kindOf, type Page } from '../api/page.ts'
import type { DraftEditor } from '../draft/draft-editor.ts'
import { useEffect, useState } from 'preact/hooks'

interface EditHeadProps {
  readonly title: string
  readonly page: Page
  readonly api: DepositApi
  readonly editor: DraftEditor
  readonly canChange: boolean
}

/** The title of the deposit, its status, and whether it is saved. */
export function EditHead({ title, page, api, editor, canChange }: EditHeadProps) {
  const { deposit } = editor.view
  return (
    <header class="edit-head">
      <h1>{title || text('untitled')}</h1>
      <div class="edit-state">
        <Kind page={page} api={api} editor={editor} canChange={canChange} />
        <StatusBadge deposit={deposit} />
        {editor.isOpen && <SaveStatus editor={editor} />}
        {canChange && <UndoButton editor={editor} />}
      </div>
    </header>
  )
}

/** The kind of record, where there are several; that of a draft can be changed. */
function Kind({ page, api, editor, canChange }: Omit<EditHeadProps, 'title'>) {
  const { deposit } = editor.view
  const { $schema } = deposit.metadata
  const kind = kindOf(page, $schema)
  if (kind === undefined) return null
  // A record keeps the schema it was published by.
  const isNew = typeof deposit.metadata._deposit.value !== 'string'
  if (!canChange || !isNew) return <span class="quiet">{kind}</span>
  const change = async (path: string): Promise<void> => {
    if (!(await editor.save())) throw new Error(text('edit.kindUnsaved'))
    const { id, revision } = editor.view.deposit
    await api.patch(id, [{ op: 'add', path: '/$schema', value: path }], revision)
    // The form is made of the other schema.
    location.reload()
  }
  return (
    <select
      class="kind"
      aria-label={text('edit.kind')}
      value={page.schemas.find(({ path }) => $schema?.endsWith(`/${path}`))?.path}
      onChange={({ currentTarget: select }) => {
        change(select.value).catch((error: unknown) => {
          sayFailure(error)
          const before = page.schemas.findIndex(({ path }) => $schema?.endsWith(`/${path}`))
          select.selectedIndex = before
        })
      }}
    >
      {page.schemas.map(({ path, title }) => (
        <option key={path} value={path}>
          {title}
        </option>
      ))}
    </select>
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
  const { canUndo, state } = editor.view
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
    // Without an answer, the button says it when it is pressed.
    editor.findUndo().catch(() => undefined)
  }, [editor])
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
      disabled={isUndoing || canUndo === false || state === 'deleted' || state === 'conflict'}
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
