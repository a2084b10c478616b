import { useEffect, useMemo, useReducer } from 'preact/hooks'
import type { Deposit, DepositApi } from '../api/deposits.ts'
import { DraftEditor } from '../draft/draft-editor.ts'

/** The editor of a deposit; the component is drawn again whenever its view changes. */
export function useEditor(api: DepositApi, deposit: Deposit): DraftEditor {
  const editor = useMemo(() => new DraftEditor(api, deposit), [api, deposit])
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => editor.subscribe(() => draw(undefined)), [editor])
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      // What is typed is kept in this browser; only a save under way is worth a question.
      if (editor.view.state === 'saving') event.preventDefault()
    }
    const retry = () => editor.retry()
    addEventListener('beforeunload', warn)
    addEventListener('online', retry)
    addEventListener('focus', retry)
    return () => {
      removeEventListener('beforeunload', warn)
      removeEventListener('online', retry)
      removeEventListener('focus', retry)
    }
  }, [editor])
  return editor
}
