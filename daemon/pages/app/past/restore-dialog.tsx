import { useEffect, useRef, useState } from 'preact/hooks'
import { safeKey } from '../../../../core/contract/file-key.ts'
import type { TrashedFileBody } from '../../../../core/contract/history.ts'
import { text } from '../../text/text.ts'
import type { FileApi } from '../api/files.ts'
import { ApiProblem } from '../api/http.ts'
import { Dialog } from '../ui/dialog.tsx'

interface RestoreDialogProps {
  readonly file: TrashedFileBody
  readonly api: FileApi
  /** Called with the name that the file has now. */
  readonly onRestored: (name: string) => void
  readonly onClose: () => void
}

/** True where a deleted file cannot come back because another one has its name. */
export function isTaken(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'file_already_exists'
}

/** Asks for another name for a deleted file whose own has been taken since. */
export function RestoreDialog({ file, api, onRestored, onClose }: RestoreDialogProps) {
  const field = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState('')
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const restore = async (wanted: string) => {
    const safe = safeKey(wanted)
    if ('reason' in safe) {
      setFault(safe.reason)
      return
    }
    try {
      await api.restore(file, safe.key)
      onRestored(safe.key)
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      setFault(isTaken(error) ? text('trash.takenToo', { name: safe.key }) : said)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void restore(field.current?.value ?? '')
  }
  return (
    <Dialog title={text('trash.taken', { name: file.filename })} onClose={onClose}>
      <form onSubmit={submit}>
        <div class="dialog-body">
          <p>{text('trash.explainTaken')}</p>
          <label>
            {text('trash.newName')}
            <input
              ref={field}
              aria-invalid={fault !== ''}
              aria-describedby="restore-fault"
              defaultValue={otherName(file.filename)}
            />
          </label>
          <p id="restore-fault" class="faults" aria-live="polite">
            {fault}
          </p>
        </div>
        <footer class="dialog-foot">
          <button type="button" onClick={onClose}>
            {text('cancel')}
          </button>
          <button class="primary">{text('trash.restore')}</button>
        </footer>
      </form>
    </Dialog>
  )
}

/** `data/a.txt` → `data/a-restored.txt` */
function otherName(name: string): string {
  return name.replace(/(\.[^./]+)?$/, '-restored$1')
}
